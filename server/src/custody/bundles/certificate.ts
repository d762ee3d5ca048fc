import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { buffer } from 'node:stream/consumers';
import { UPLOAD_HARD_CAP_BYTES } from '@firsthand/contract/base/limits.ts';
import { hex } from '@firsthand/evidence/bytes.ts';
import { type Verifier, vkeyOf } from '@firsthand/evidence/note.ts';
import { NOT_PROVEN } from '@firsthand/report/words.ts';
import type { Stamp } from '@firsthand/stamps/rfc3161.ts';
import sharp from 'sharp';
import type { Deps } from '../../platform/deps.ts';
import type { OpenedStatement } from '../../record/evidence/statements.ts';
import type { CaptureRow, VerificationRow } from '../../verification/verifications/row.ts';
import { lacksCheck } from '../../verification/verifications/steps.ts';
import type { Head } from './head.ts';
import { PUBLISHED_RATES } from './published-rates.ts';

export interface CertificateInput {
  row: VerificationRow;
  captures: readonly CaptureRow[];
  statements: readonly OpenedStatement[];
  /** The log index of each statement's entry. */
  leaves: readonly string[];
  head: Head;
  bundleKey: Verifier;
  createdAt: Date;
  /** Null in a bundle without one. */
  stamp: Stamp | null;
}

const PROVEN = [
  'The photos in this bundle are, byte for byte, those that the service received at the stated times.',
  'The record, the answers and the verdict are those that were recorded, and nothing was changed since.',
  'Each of these facts has a place in a public log that can only grow; a later change would show.',
];

const fonts = createRequire(import.meta.url)
  .resolve('dejavu-fonts-ttf/package.json')
  .replace(/package\.json$/, 'ttf/');
const THUMBNAIL = { width: 360, height: 270 };
const LEFT = 50;
const WIDTH = 495;

/** The certificate as PDF/A-3b. Black on white, one embedded font; equal input gives equal bytes. */
export async function makeCertificate(deps: Pick<Deps, 'blobs' | 'origins'>, o: CertificateInput): Promise<Buffer> {
  const { row } = o;
  const pdf = await newDocument(o);
  const written = buffer(pdf);
  const page = writerOf(pdf);
  verificationSection(page, o);
  verdictSection(page, o);
  page.heading(`Photos (${o.captures.length})`);
  for (const capture of o.captures) await photoSection(deps, pdf, page, capture);
  custodySection(page, o);
  await logSection(pdf, page, o, deps.origins.public);
  declaration(page, row.id);
  footers(pdf, `${row.livemode ? '' : 'TEST. '}Verification ${row.id}`);
  pdf.end();
  return written;
}

/** An empty document; its pages say TEST where the verification is one. */
async function newDocument({ row, createdAt }: CertificateInput): Promise<PDFKit.PDFDocument> {
  // Takes a tenth of a second to load, and most processes make no certificate.
  const { default: PDFDocument } = await import('pdfkit');
  const pdf = new PDFDocument({
    size: 'A4',
    margin: LEFT,
    pdfVersion: '1.7',
    subset: 'PDF/A-3b',
    lang: 'en',
    displayTitle: true,
    bufferPages: true,
    info: {
      Title: `Certificate of verification ${row.id}`,
      Author: 'Firsthand',
      CreationDate: createdAt,
      ModDate: createdAt,
    },
    font: `${fonts}DejaVuSans.ttf`,
  } as PDFKit.PDFDocumentOptions);
  pdf.registerFont('plain', await readFile(`${fonts}DejaVuSans.ttf`));
  pdf.registerFont('bold', await readFile(`${fonts}DejaVuSans-Bold.ttf`));
  if (!row.livemode) {
    watermark(pdf);
    pdf.on('pageAdded', () => watermark(pdf));
  }
  return pdf;
}

function verificationSection(page: Page, { row, createdAt }: CertificateInput): void {
  page.title(row.livemode ? 'Certificate of a photo verification' : 'TEST: certificate of a photo verification');
  if (!row.livemode) page.text('This verification was made in test mode or as a trial. It is not evidence.');
  page.field('Verification', row.id);
  page.field('Account', row.tenant_id);
  page.field('State', row.status);
  page.field('Created', row.created_at.toISOString());
  if (row.completed_at) page.field('Completed', row.completed_at.toISOString());
  page.field('Issued', createdAt.toISOString());

  page.heading('What is proven');
  page.list(PROVEN);
  page.heading('What is not proven');
  page.list(NOT_PROVEN);
}

function custodySection(page: Page, { statements, leaves }: CertificateInput): void {
  page.heading('Custody');
  for (const { seq, statement } of statements) {
    const actor =
      statement.type === 'capture' ? 'person with the link' : statement.type === 'review' ? 'reviewer' : 'service';
    page.field(
      `${seq}. ${String(statement.type)}`,
      `${String(statement.at)}, by the ${actor}, entry ${leaves[seq - 1]} of the log`,
    );
  }
}

/** Where the facts stand in the log, and how to verify the bundle. */
async function logSection(pdf: PDFKit.PDFDocument, page: Page, o: CertificateInput, publicUrl: string): Promise<void> {
  const { head } = o;
  // The whole section on one page.
  page.room(150);
  page.heading('Log');
  page.field('Origin', head.origin);
  page.field('Tree size', head.size.toString());
  page.field('Root', hex(head.root));
  page.field('Log key', vkeyOf(head.key));
  page.field('Bundle key', vkeyOf(o.bundleKey));
  page.field('Time stamp', stampText(o.stamp));
  page.heading('How to verify');
  page.text(
    `The page ${publicUrl}/verify and the command firsthand verify-evidence check the whole bundle without a network. README.txt in this bundle gives the commands for sha256sum and openssl.`,
  );
  await qrCode(pdf, `${head.origin}\n${o.leaves.join(',')}\n${hex(head.root)}`);
}

type Page = ReturnType<typeof writerOf>;

function writerOf(pdf: PDFKit.PDFDocument) {
  const room = (height: number) => {
    if (pdf.y + height > pdf.page.height - LEFT) pdf.addPage();
  };
  const text = (content: string) => {
    room(14);
    pdf.font('plain').fontSize(9).text(content, LEFT, pdf.y, { width: WIDTH });
  };
  const space = (lines: number) => void pdf.font('plain').fontSize(9).moveDown(lines);
  return {
    room,
    text,
    space,
    title: (content: string) => pdf.font('bold').fontSize(18).text(content, LEFT, LEFT, { width: WIDTH }).moveDown(0.5),
    heading(content: string) {
      room(50);
      pdf.moveDown(0.8).font('bold').fontSize(12).text(content, LEFT, pdf.y, { width: WIDTH }).moveDown(0.2);
    },
    field(name: string, value: string) {
      room(26);
      const top = pdf.y;
      pdf.font('bold').fontSize(9).text(name, LEFT, top, { width: 110 });
      const below = pdf.y;
      pdf
        .font('plain')
        .fontSize(9)
        .text(value, LEFT + 120, top, { width: WIDTH - 120 });
      pdf.y = Math.max(pdf.y, below) + 2;
      pdf.x = LEFT;
    },
    list(items: readonly string[]) {
      for (const item of items) text(`•  ${item}`);
    },
  };
}

function verdictSection(page: Page, { row, statements }: CertificateInput): void {
  page.heading('Verdict');
  if (!row.verdict) {
    page.text('No verdict was reached.');
    return;
  }
  page.field('Label', row.verdict.label);
  page.field('Confidence', row.verdict.score.toFixed(3));
  if (row.verdict.reason_code) page.field('Reason', row.verdict.reason_code);
  if (lacksCheck(row.verdict)) page.field('Reason', 'none: no check found a problem, but a required one is missing');
  const logged = statements.findLast(({ statement }) => statement.type === 'verdict')?.statement.detectors;
  for (const [name, version] of Object.entries((logged as Record<string, string> | undefined) ?? {})) {
    page.field('Detector', `${name}, ${version}`);
  }
  page.space(0.4);
  page.text(
    'How many genuine pictures, by people or cameras that no model was trained on, each detector flagged when it was measured (docs/detection.md of the software). "At most" is the upper 95% bound.',
  );
  page.space(0.4);
  const shown = Object.keys(row.verdict.signals ?? {});
  for (const { signal, model, flagged } of PUBLISHED_RATES) {
    if (!shown.includes(signal)) continue;
    const used = (logged as Record<string, string> | undefined)?.[signal];
    // A rate belongs to the model that was measured.
    const measured = model === undefined || used === undefined || used === model;
    page.field(signal, measured ? flagged : `not measured for ${used}`);
  }
}

function stampText(stamp: Stamp | null): string {
  if (!stamp) return 'none in this bundle';
  const qualified = stamp.claimsQualified
    ? 'It says that it is a qualified one of the EU; its root decides.'
    : 'It does not say that it is a qualified one of the EU.';
  return `${stamp.at} by ${printable(stamp.authority)} (RFC 3161, timestamp.tsr). ${qualified}`;
}

async function photoSection(
  deps: Pick<Deps, 'blobs'>,
  pdf: PDFKit.PDFDocument,
  page: Page,
  capture: CaptureRow,
): Promise<void> {
  page.room(THUMBNAIL.height / 2 + 130);
  if (capture.preview_blob) {
    const preview = await deps.blobs.get(capture.preview_blob, { maxBytes: UPLOAD_HARD_CAP_BYTES });
    // PDF/A requires plain sRGB here, so drop profile and metadata.
    const small = await sharp(preview)
      .resize({ ...THUMBNAIL, fit: 'inside' })
      .flatten({ background: '#fff' })
      .toColourspace('srgb')
      .jpeg({ quality: 75 })
      .toBuffer({ resolveWithObject: true });
    const top = pdf.y + 6;
    pdf.image(small.data, LEFT, top, { width: small.info.width / 2 });
    pdf.y = top + small.info.height / 2 + 6;
  }
  page.field('Photo', capture.id);
  page.field('SHA-256', capture.sha256);
  page.field('Size', `${capture.size_bytes} bytes, ${capture.width} × ${capture.height}, ${capture.content_type}`);
  page.field('Received', `${capture.created_at.toISOString()} (server)`);
  if (capture.client_captured_at) page.field('Taken', `${capture.client_captured_at.toISOString()} (device)`);
  if (capture.location) {
    const { latitude, longitude, accuracy_m } = capture.location;
    page.field(
      'Place',
      `${latitude}, ${longitude}${accuracy_m === undefined ? '' : ` within ${accuracy_m} m`} (${SENT_BY[capture.location_source ?? 'unknown']})`,
    );
  }
  const exif = capture.metadata as { make?: unknown; model?: unknown } | null;
  const camera = [exif?.make, exif?.model].filter(value => typeof value === 'string').join(' ');
  if (camera) page.field('Camera', printable(camera));
  page.field('Captured', capture.source === 'live' ? 'live, in the capture flow' : 'uploaded, not captured live');
  if (capture.attestation)
    page.field('Attestation', `${capture.attestation.verdict} (${capture.attestation.provider})`);
}

/** Who sent a position, in the certificate's words. */
const SENT_BY = {
  app: 'says an attested app',
  page: 'says the browser',
  program: 'says a program, not the capture page',
  unknown: 'says the sender',
} as const;

/** Replaces characters that the embedded font may lack, because PDF/A allows no missing glyph. */
const printable = (text: string): string => text.replace(/[^\x20-\x7e\xa0-\xff]/g, '?').slice(0, 120);

async function qrCode(pdf: PDFKit.PDFDocument, content: string): Promise<void> {
  const { default: qrcode } = await import('qrcode');
  const { modules } = qrcode.create(content, { errorCorrectionLevel: 'M' });
  const side = 110;
  if (pdf.y + side + 20 > pdf.page.height - LEFT) pdf.addPage();
  const cell = side / modules.size;
  const top = pdf.y + 10;
  for (let row = 0; row < modules.size; row += 1) {
    for (let column = 0; column < modules.size; column += 1) {
      if (modules.get(row, column)) pdf.rect(LEFT + column * cell, top + row * cell, cell, cell);
    }
  }
  pdf.fill('#000');
  pdf
    .font('plain')
    .fontSize(9)
    .text("The code holds the log's origin, the indices of these entries and the root.", LEFT + side + 15, top, {
      width: 180,
    });
  pdf.x = LEFT;
  pdf.y = top + side + 10;
}

/** The letters as lines in a unit square. Text would run into the page's own when somebody copies or searches it. */
const T = [[[0, 0], [1, 0]], [[0.5, 0], [0.5, 1]]]; // biome-ignore format: a drawing
const E = [[[1, 0], [0, 0], [0, 1], [1, 1]], [[0, 0.5], [0.8, 0.5]]]; // biome-ignore format: a drawing
const S = [[[1, 0], [0, 0], [0, 0.5], [1, 0.5], [1, 1], [0, 1]]]; // biome-ignore format: a drawing
const LETTER = { width: 90, height: 130, apart: 45 };

/** Draws TEST across the page, beneath all else: text drawn later stays readable, also in black and white. */
function watermark(pdf: PDFKit.PDFDocument): void {
  const { width, height } = pdf.page;
  const step = LETTER.width + LETTER.apart;
  const left = width / 2 - (4 * step - LETTER.apart) / 2;
  const top = height / 2 - LETTER.height / 2;
  pdf.save().rotate(-50, { origin: [width / 2, height / 2] });
  for (const [index, letter] of [T, E, S, T].entries()) {
    for (const line of letter) {
      for (const [at, [x, y]] of line.entries()) {
        const point = [left + index * step + x! * LETTER.width, top + y! * LETTER.height] as const;
        if (at === 0) pdf.moveTo(...point);
        else pdf.lineTo(...point);
      }
    }
  }
  pdf.lineWidth(26).lineJoin('round').lineCap('round').strokeColor('#ddd').stroke().restore();
}

/** Numbers the pages and names the verification on each, so that a loose sheet tells where it belongs. */
function footers(pdf: PDFKit.PDFDocument, name: string): void {
  const { start, count } = pdf.bufferedPageRange();
  for (let page = start; page < start + count; page += 1) {
    pdf.switchToPage(page);
    // Text in the margin would otherwise begin a page.
    pdf.page.margins.bottom = 0;
    pdf.font('plain').fontSize(8);
    const options = { width: WIDTH, lineBreak: false };
    pdf.text(name, LEFT, pdf.page.height - 34, options);
    pdf.text(`Page ${page + 1} of ${count}`, LEFT, pdf.page.height - 34, { ...options, align: 'right' });
  }
}

/** A form for a person to complete, because software cannot make a declaration. */
function declaration(page: Page, id: string): void {
  page.room(190);
  page.heading('Declaration (to be completed and signed by a person)');
  page.text('Fed. R. Evid. 902(13) and 902(14); 28 U.S.C. § 1746');
  page.space(0.6);
  page.text(
    `I, ______________________________, am qualified to make this declaration. I state that the electronic record of verification ${id} was generated by an electronic process or system that produces an accurate result, and that the data of this bundle were identified by their SHA-256 hash values as set out above, by a process that I have carried out. I declare under penalty of perjury that the foregoing is true and correct.`,
  );
  page.space(2.5);
  page.text('Executed on ____________________   Signature ________________________________________');
  page.space(2.5);
  page.text('Name and title __________________________________________________');
}
