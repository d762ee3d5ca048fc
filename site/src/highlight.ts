import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import dockerfile from 'highlight.js/lib/languages/dockerfile';
import ini from 'highlight.js/lib/languages/ini';
import json from 'highlight.js/lib/languages/json';
import nginx from 'highlight.js/lib/languages/nginx';
import python from 'highlight.js/lib/languages/python';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';

const LANGUAGES = { dockerfile, ini, json, nginx, python, typescript, xml, yaml, bash };
/** What the fences say, where it differs. */
const NAMES: Record<string, string> = { sh: 'bash', ts: 'typescript', tsx: 'typescript', html: 'xml', vue: 'xml' };

for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language);

/** HTML with classes, never with styles: the page's policy allows no inline ones. */
export function highlight(code: string, fence: string): string {
  const language = NAMES[fence] ?? fence;
  if (hljs.getLanguage(language)) return hljs.highlight(code, { language }).value;
  return code.replace(/[&<>]/g, character => `&#${character.charCodeAt(0)};`);
}
