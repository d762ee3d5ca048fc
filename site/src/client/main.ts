import '../site.css';
import { addCopyButtons } from './copy.ts';
import { openSearch } from './search.ts';
import { makeTabs } from './tabs.ts';
import { offerThemes } from './theme.ts';

offerThemes();
makeTabs();
addCopyButtons();
openSearch();
// The reference was at /docs once. Links in old e-mails name one of its parts.
if (/^#(tag|model|description)\//.test(location.hash)) location.replace(document.body.dataset.api + location.hash);
