import type { Capture } from '@firsthand/contract/verification/verification.ts';
import type { MessageKey } from '../../base/i18n.ts';
import { useWords } from '../../base/language.tsx';
import { useMoments } from '../../base/parts/date-times.ts';

export interface FileFact {
  /** The same fact of another file has the same key. */
  key: string;
  label: string;
  value: string;
  /** An id or a hash: it differs between any two files. */
  code?: boolean;
}

const KNOWN: Record<string, MessageKey> = {
  make: 'file.make',
  model: 'file.model',
  lens: 'file.lens',
  software: 'file.software',
  taken_at: 'file.takenAt',
  gps_at: 'file.gpsAt',
  gps: 'file.gps',
  exif_size: 'file.exifSize',
  orientation: 'file.orientation',
  thumbnail: 'file.thumbnail',
  quantization_hash: 'file.tables',
};

/** What a capture's file says, in the words of the page. */
export function useFileFacts(): (capture: Capture) => FileFact[] {
  const { t, number } = useWords();
  const { exactly } = useMoments();
  const text = (of: unknown): string => {
    if (typeof of === 'boolean') return t(of ? 'common.yes' : 'common.no');
    if (typeof of !== 'object' || of === null) return String(of);
    const { latitude, longitude, width, height } = of as Record<string, number | undefined>;
    if (latitude !== undefined && longitude !== undefined) return `${latitude}, ${longitude}`;
    if (width !== undefined && height !== undefined) return `${width} × ${height}`;
    return JSON.stringify(of);
  };
  return capture => {
    const { attestation, client_captured_at, metadata = {}, text: read = {} } = capture;
    const kilobytes = number(capture.size_bytes / 1_000, { maximumFractionDigits: 0 });
    return [
      { key: 'id', label: t('file.id'), value: capture.id, code: true },
      { key: 'type', label: t('file.type'), value: `${capture.content_type}, ${kilobytes} kB` },
      { key: 'size', label: t('file.size'), value: `${capture.width} × ${capture.height}` },
      { key: 'received', label: t('file.received'), value: exactly(capture.created_at) },
      ...(client_captured_at ? [{ key: 'shutter', label: t('file.shutter'), value: exactly(client_captured_at) }] : []),
      ...(attestation
        ? [
            {
              key: 'attestation',
              label: t('file.attestation'),
              value: `${attestation.provider}: ${t(`attestation.${attestation.verdict}`)}${attestation.detail ? ` (${attestation.detail})` : ''}`,
            },
          ]
        : []),
      ...Object.entries(metadata).map(([name, of]) => ({
        key: `metadata.${name}`,
        label: KNOWN[name] ? t(KNOWN[name]) : name.replaceAll('_', ' '),
        value: text(of),
      })),
      ...Object.entries(read).map(([name, of]) => ({
        key: `text.${name}`,
        label: t('file.text', { key: name }),
        value: text(of),
      })),
      { key: 'sha', label: t('file.sha'), value: capture.sha256, code: true },
    ];
  };
}
