import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';

// Two looks at PDF/A-3b (ISO 19005-3): its rules as far as they can be read off the objects of a file, as `qpdf` lists them,
// and Apache PDFBox Preflight, which knows the whole of ISO 19005-1. A validator of part 3 installs from no registry in use here.

/** Debian's `libpdfbox2-java`, and what Java left out since it was written. */
const JARS = ['preflight', 'pdfbox2', 'fontbox2', 'xmpbox', 'commons-logging', 'javax.activation', 'jaxb-api'].map(
  name => `/usr/share/java/${name}.jar`,
);

export const preflightInstalled = JARS.every(existsSync) && spawnSync('java', ['-version']).status === 0;

/** What Preflight holds against a file as PDF/A-1b: `<number of its rule> : <words>`. */
export function preflight(file: string): string[] {
  const said = spawnSync('java', [
    `-Dpdfbox.fontcache=${tmpdir()}`,
    '-cp',
    JARS.join(':'),
    'org.apache.pdfbox.preflight.Validator_A1b',
    file,
  ]);
  const lines = said.stdout.toString().split('\n');
  if (!lines[0]!.startsWith('The file ')) throw new Error(said.stderr.toString());
  return lines.slice(1).filter(line => line !== '');
}

/** What Preflight says of every file of PDF/A-3: the number of the part, and an entry of fonts that only part 1 requires. */
export const NOT_OF_PART_3 = /^7\.11\.2 : Error on MetaData, part must be 1$|: The CIDSet entry is missing/;

type Value = null | boolean | number | string | Value[] | Dict;
interface Dict {
  [key: string]: Value;
}
export interface PdfObjects {
  [reference: string]: { value?: Value; stream?: { dict: Dict; data: string } };
}

/** The objects of a PDF file, streams without their compression. */
export function readPdf(file: string): PdfObjects {
  const json = execFileSync('qpdf', ['--json=2', '--json-stream-data=inline', '--decode-level=generalized', file], {
    maxBuffer: 100_000_000,
  });
  return (JSON.parse(json.toString()) as { qpdf: [unknown, PdfObjects] }).qpdf[1];
}

const FORBIDDEN_KEYS = [
  '/AA',
  '/JS',
  '/JavaScript',
  '/OpenAction',
  '/XFA',
  '/OPI',
  '/Alternates',
  '/TR',
  '/HTP',
  '/PS',
];
const FORBIDDEN_FILTERS = ['/LZWDecode', '/Crypt'];
/** Needs its own blending space, or a device space that the sRGB output intent does not cover. */
const FORBIDDEN_VALUES = ['/DeviceCMYK', '/Launch', '/Sound', '/Movie', '/PostScript', '/Type3', '/Type1'];

/** What keeps a file from PDF/A-3b; empty if nothing was found. */
export function pdfAFaults(objects: PdfObjects): string[] {
  const faults: string[] = [];
  const expect = (holds: boolean, fault: string) => {
    if (!holds) faults.push(fault);
  };
  const at = (value: Value | undefined): Value => {
    const found = typeof value === 'string' ? objects[`obj:${value}`] : undefined;
    if (!found) return value ?? null;
    return found.stream ? found.stream.dict : (found.value ?? null);
  };
  const dict = (value: Value | undefined): Dict => {
    const found = at(value);
    return typeof found === 'object' && found !== null && !Array.isArray(found) ? found : {};
  };
  const list = (value: Value | undefined): Value[] => {
    const found = at(value);
    return Array.isArray(found) ? found : [];
  };
  const bytes = (value: Value | undefined): Buffer =>
    Buffer.from((typeof value === 'string' && objects[`obj:${value}`]?.stream?.data) || '', 'base64');

  const trailer = objects.trailer!.value as Dict;
  expect(list(trailer['/ID']).length === 2, 'the trailer has no /ID');
  expect(trailer['/Encrypt'] === undefined, 'the file is encrypted');

  const catalog = dict(trailer['/Root']);
  const xmp = bytes(catalog['/Metadata']).toString();
  expect(xmp.includes('<pdfaid:part>3</pdfaid:part>'), 'the metadata do not say part 3');
  expect(xmp.includes('<pdfaid:conformance>B</pdfaid:conformance>'), 'the metadata do not say conformance B');
  const title = /<dc:title>[\s\S]*?<rdf:li[^>]*>([^<]*)</.exec(xmp)?.[1];
  expect(at(dict(trailer['/Info'])['/Title']) === `u:${title}`, 'title and metadata differ');

  const [intent] = list(catalog['/OutputIntents']).map(dict);
  expect(intent?.['/S'] === '/GTS_PDFA1', 'there is no output intent for PDF/A');
  expect(typeof intent?.['/OutputConditionIdentifier'] === 'string', 'the output intent has no identifier');
  const profile = bytes(intent?.['/DestOutputProfile']);
  expect(dict(intent?.['/DestOutputProfile'])['/N'] === 3, 'the output profile has not three components');
  expect(profile.toString('latin1', 36, 40) === 'acsp', 'the output profile is no ICC profile');
  expect(profile.toString('latin1', 12, 20) === 'mntrRGB ', 'the output profile is not for an RGB display');
  expect(profile.length > 0 && profile.readUInt32BE(0) === profile.length, 'the output profile has another length');

  for (const [reference, { value, stream }] of Object.entries(objects)) {
    if (reference === 'trailer') continue;
    const own = stream?.dict ?? value ?? null;
    walk(own, (key, member) => {
      expect(!FORBIDDEN_KEYS.includes(key), `${reference} has ${key}`);
      expect(!FORBIDDEN_VALUES.includes(String(member)), `${reference} has ${key} ${String(member)}`);
      expect(key !== '/SMask' || member === '/None', `${reference} has a soft mask`);
      expect(!/^\/(ca|CA)$/.test(key) || member === 1, `${reference} is transparent`);
      expect(key !== '/Interpolate' || member === false, `${reference} is interpolated`);
    });
    const filters = [dict(own)['/Filter'] ?? []].flat();
    expect(!filters.some(filter => FORBIDDEN_FILTERS.includes(String(filter))), `${reference} has a forbidden filter`);
    expect(stream === undefined || stream.dict['/F'] === undefined, `${reference} lies in another file`);
    const type = dict(own)['/Type'];
    if (type === '/Font') checkFont(reference, dict(own));
    if (type === '/Filespec') {
      expect(
        dict(own)['/AFRelationship'] !== undefined,
        `${reference} does not say what the attachment is to the page`,
      );
    }
    if (type === '/Page') {
      const content = [dict(own)['/Contents'] ?? []].flat().map(part => bytes(part).toString('latin1'));
      expect(!/<(?:[\da-f]{4})*0000(?:[\da-f]{4})*>/i.test(content.join('\n')), `${reference} shows a missing glyph`);
      expect(!/(?:^|\s)[kK]\s/.test(content.join('\n')), `${reference} has a colour in CMYK`);
    }
  }
  return faults;

  function checkFont(reference: string, font: Dict): void {
    if (font['/Subtype'] === '/Type0') {
      expect(font['/Encoding'] === '/Identity-H', `${reference} is not encoded as Identity-H`);
      expect(font['/ToUnicode'] !== undefined, `${reference} does not say what its glyphs mean`);
      expect(list(font['/DescendantFonts']).length === 1, `${reference} has no font behind it`);
      return;
    }
    expect(font['/CIDToGIDMap'] !== undefined, `${reference} does not map to the glyphs of its file`);
    expect(bytes(dict(font['/FontDescriptor'])['/FontFile2']).length > 0, `${reference} is not embedded`);
  }
}

function walk(value: Value, see: (key: string, member: Value) => void): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    see(key, member);
    walk(member, see);
  }
}

/** The objects of a type. */
const ofType = (objects: PdfObjects, type: string): Dict[] =>
  Object.values(objects)
    .map(({ value, stream }) => (stream?.dict ?? value) as Dict)
    .filter(dict => dict?.['/Type'] === type);

const streamOf = (objects: PdfObjects, reference: Value | undefined) => objects[`obj:${String(reference)}`]!.stream!;
const trailerOf = (objects: PdfObjects) => objects.trailer!.value as Dict;

/** Ways to break a certificate, each with the fault that {@link pdfAFaults} must then name. */
export const PDF_A_BREAKS: Readonly<Record<string, (objects: PdfObjects) => void>> = {
  'no /ID': objects => {
    delete trailerOf(objects)['/ID'];
  },
  encrypted: objects => {
    trailerOf(objects)['/Encrypt'] = {};
  },
  'do not say part 3': objects => {
    streamOf(objects, ofType(objects, '/Catalog')[0]!['/Metadata']).data = '';
  },
  'no output intent': objects => {
    delete ofType(objects, '/Catalog')[0]!['/OutputIntents'];
  },
  'no ICC profile': objects => {
    streamOf(objects, ofType(objects, '/OutputIntent')[0]!['/DestOutputProfile']).data = '';
  },
  'is not embedded': objects => {
    delete ofType(objects, '/FontDescriptor')[0]!['/FontFile2'];
  },
  'what its glyphs mean': objects => {
    for (const font of ofType(objects, '/Font')) delete font['/ToUnicode'];
  },
  'has /OpenAction': objects => {
    ofType(objects, '/Catalog')[0]!['/OpenAction'] = {};
  },
  '/DeviceCMYK': objects => {
    ofType(objects, '/XObject')[0]!['/ColorSpace'] = '/DeviceCMYK';
  },
  'a soft mask': objects => {
    ofType(objects, '/XObject')[0]!['/SMask'] = '1 0 R';
  },
  'shows a missing glyph': objects => {
    const content = streamOf(objects, ofType(objects, '/Page')[0]!['/Contents']);
    content.data = Buffer.from('[<00010000> 0] TJ').toString('base64');
  },
};
