import { DOMParser, type Element, type Node, onErrorStopParsing } from '@xmldom/xmldom';
import type { FieldList } from './fields.ts';

/** Namespaces whose fields are read by name elsewhere. A writer may bind any prefix to them, so we use these. */
const PREFIXES = new Map([
  ['adobe:ns:meta/', 'x'],
  ['http://www.w3.org/1999/02/22-rdf-syntax-ns#', 'rdf'],
  ['http://purl.org/dc/elements/1.1/', 'dc'],
  ['http://ns.adobe.com/xap/1.0/', 'xmp'],
  ['http://ns.adobe.com/xap/1.0/mm/', 'xmpMM'],
  ['http://ns.adobe.com/xap/1.0/sType/ResourceEvent#', 'stEvt'],
  ['http://ns.adobe.com/photoshop/1.0/', 'photoshop'],
  ['http://ns.adobe.com/tiff/1.0/', 'tiff'],
  ['http://ns.adobe.com/exif/1.0/', 'exif'],
  ['http://cipa.jp/exif/1.0/', 'exifEX'],
  ['http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/', 'Iptc4xmpCore'],
  ['http://iptc.org/std/Iptc4xmpExt/2008-02-29/', 'Iptc4xmpExt'],
  ['http://ns.adobe.com/xmp/note/', 'xmpNote'],
  ['http://ns.google.com/photos/1.0/depthmap/', 'GDepth'],
  ['http://ns.google.com/photos/1.0/image/', 'GImage'],
  ['http://ns.google.com/photos/1.0/container/', 'Container'],
  ['http://ns.google.com/photos/1.0/container/item/', 'Item'],
  ['http://ns.google.com/photos/dd/1.0/device/', 'Device'],
  ['http://ns.google.com/photos/dd/1.0/depthmap/', 'DepthMap'],
  ['http://ns.apple.com/pixeldatainfo/1.0/', 'apdi'],
  ['http://www.tc260.org.cn/ns/AIGC/1.0/', 'TC260'],
]);

const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
const XMLNS = 'http://www.w3.org/2000/xmlns/';
const MAX_DEPTH = 24;

/**
 * Flattens an XMP packet (ISO 16684-1) into fields. Nested values get a path: `xmpMM:History[0]/stEvt:softwareAgent`. Language
 * alternatives and bags of one read as the plain field.
 * @returns false when the packet is not well-formed XML of this kind.
 */
export function readXmp(packet: string, fields: FieldList): boolean {
  const rdf = parseRdf(packet);
  if (!rdf) return false;
  for (const description of elements(rdf)) walk(description, '', 0, fields);
  return true;
}

/**
 * Returns one property of a packet's descriptions, from an attribute or element, at any length.
 * @param namespace the property's namespace address
 */
export function xmpProperty(packet: string, namespace: string, name: string): string | undefined {
  const rdf = parseRdf(packet);
  if (!rdf) return undefined;
  for (const description of elements(rdf)) {
    const attribute = description.getAttributeNS(namespace, name);
    if (attribute) return attribute;
    const element = elements(description).find(child => child.namespaceURI === namespace && child.localName === name);
    if (element?.textContent) return element.textContent;
  }
  return undefined;
}

/** Refuses a packet with a document type. XMP has none, and entity expansion is a denial-of-service attack. */
function parseRdf(packet: string): Element | undefined {
  const start = packet.indexOf('<');
  if (start < 0 || /<!(DOCTYPE|ENTITY)/i.test(packet)) return undefined;
  try {
    const parser = new DOMParser({ onError: onErrorStopParsing });
    const root = parser.parseFromString(packet.slice(start, packet.lastIndexOf('>') + 1), 'text/xml').documentElement;
    return (root && findRdf(root)) ?? undefined;
  } catch {
    return undefined;
  }
}

function findRdf(root: Element): Element | undefined {
  if (root.namespaceURI === RDF && root.localName === 'RDF') return root;
  return elements(root).find(child => child.namespaceURI === RDF && child.localName === 'RDF');
}

function elements(parent: Element): Element[] {
  const found: Element[] = [];
  for (let node: Node | null = parent.firstChild; node; node = node.nextSibling)
    if (node.nodeType === 1) found.push(node as Element);
  return found;
}

function nameOf(node: { namespaceURI: string | null; localName: string | null; nodeName: string }): string {
  const prefix = PREFIXES.get(node.namespaceURI ?? '');
  return prefix ? `${prefix}:${node.localName}` : node.nodeName;
}

const isRdf = (node: Element, ...names: string[]): boolean =>
  node.namespaceURI === RDF && names.includes(node.localName ?? '');

/** Adds the properties of a Description or structure under `path`. */
function walk(node: Element, path: string, depth: number, fields: FieldList): void {
  if (depth > MAX_DEPTH) return;
  for (const attribute of Array.from(node.attributes)) {
    if (attribute.namespaceURI === XMLNS || attribute.nodeName.startsWith('xml') || attribute.namespaceURI === RDF)
      continue;
    fields.add('xmp', path + nameOf(attribute), attribute.value);
  }
  for (const child of elements(node)) {
    if (isRdf(child, 'Description')) walk(child, path, depth + 1, fields);
    else property(child, path + nameOf(child), depth + 1, fields);
  }
}

function property(node: Element, path: string, depth: number, fields: FieldList): void {
  if (depth > MAX_DEPTH) return;
  const children = elements(node);
  const list = children.find(child => isRdf(child, 'Bag', 'Seq', 'Alt'));
  if (list) {
    const entries = elements(list);
    entries.forEach((entry, index) => {
      property(
        entry,
        entries.length === 1 && elements(entry).length === 0 ? path : `${path}[${index}]`,
        depth + 1,
        fields,
      );
    });
    return;
  }
  const resource = node.getAttributeNS(RDF, 'resource');
  if (resource) fields.add('xmp', path, resource);
  else if (children.length === 0 && node.textContent?.trim()) fields.add('xmp', path, node.textContent.trim());
  walk(node, `${path}/`, depth + 1, fields);
}
