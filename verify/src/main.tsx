import { Icon, Logo } from '@firsthand/look/marks.tsx';
import { render } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type Checked, checkFile, readTrust, type Trust } from './check.ts';
import { type CheckedPhoto, checkPhoto, isZip } from './credential.ts';
import { CredentialResult } from './credential-result.tsx';
import { Result } from './result.tsx';

type Work =
  | { state: 'idle' }
  | { state: 'checking'; name: string; share: number }
  | { state: 'failed'; reason: string };

const FIELDS: { name: keyof Trust; label: string; hint: string }[] = [
  {
    name: 'keys',
    label: 'Keys you trust',
    hint: 'Paste the JWK Set of the issuer (/v1/evidence-keys), which says what each key signs and which are retired, or its verifier keys, one per line. Get them by another way than the bundle.',
  },
  {
    name: 'witnesses',
    label: 'Witnesses you require',
    hint: 'Paste the verifier key of each witness that must have seen the same log. Leave empty to require none.',
  },
  {
    name: 'tsaRoots',
    label: 'Root certificates for the time stamp',
    hint: 'Paste them as PEM. Leave empty to have the stamp checked without its root.',
  },
];

/** Time stamps need this part of the browser, which pages from an unprotected address do not get. */
const canCheck = Boolean(globalThis.crypto?.subtle);

/** The results of checking files, as they come. Another choice of files or of trust begins again. */
function useChecks(files: readonly File[], trust: ReturnType<typeof readTrust>) {
  const [results, setResults] = useState<(Checked | CheckedPhoto)[]>([]);
  const [work, setWork] = useState<Work>({ state: 'idle' });
  const turn = useRef(0);
  useEffect(() => {
    turn.current += 1;
    const mine = turn.current;
    void (async () => {
      const checked: (Checked | CheckedPhoto)[] = [];
      for (const file of files) {
        const say = (bytes: number) =>
          turn.current === mine && setWork({ state: 'checking', name: file.name, share: bytes / file.size });
        const check = async () => ((await isZip(file)) ? checkFile(file, trust, say) : checkPhoto(file));
        const found = await check().catch((error: Error) => error);
        if (turn.current !== mine) return;
        if (found instanceof Error) return setWork({ state: 'failed', reason: `${file.name}: ${found.message}` });
        checked.push(found);
      }
      setResults(checked);
      setWork({ state: 'idle' });
    })();
  }, [files, trust]);
  return { results, work, forget: () => setResults([]) };
}

function App() {
  const [trust, setTrust] = useState<Trust>({ keys: '', witnesses: '', tsaRoots: '' });
  const [files, setFiles] = useState<File[]>([]);
  const read = useMemo(() => readTrust(trust), [trust]);
  const { results, work, forget } = useChecks(files, read);
  const take = (list: FileList | null | undefined) => {
    if (!list || list.length === 0 || !canCheck) return;
    forget();
    setFiles([...list]);
  };
  const field = (field: (typeof FIELDS)[number]) => (
    <TrustField key={field.name} field={field} value={trust} fault={read.faults} onInput={setTrust} />
  );
  return (
    <>
      <header class="top">
        <Logo />
      </header>
      <main>
        <Intro />
        <form class="form" onSubmit={event => event.preventDefault()}>
          <Drop onFiles={take} />
          {FIELDS.slice(0, 1).map(field)}
          <details>
            <summary>Witnesses and time stamp</summary>
            {FIELDS.slice(1).map(field)}
          </details>
        </form>
        <Working work={work} done={results.length} />
        {results.length > 0 && (
          <div class="after">
            <button type="button" class="button quiet" onClick={() => print()}>
              <Icon name="printer" />
              Print
            </button>
          </div>
        )}
        {results.map(checked =>
          'report' in checked ? (
            <Result key={checked.file.name} checked={checked} />
          ) : (
            <CredentialResult key={checked.file.name} checked={checked} />
          ),
        )}
      </main>
      <Foot />
    </>
  );
}

const Intro = () => (
  <>
    <div class="intro">
      <h1>Check an evidence bundle</h1>
      <p class="soft">
        This page checks the bundle, or a photo with Content Credentials, on your device. It sends nothing and asks
        nobody: it also works from disk, with the network off.
      </p>
    </div>
    {!canCheck && (
      <p class="card warning" role="alert">
        Open this page over https or from disk. At this address the browser withholds what the check needs.
      </p>
    )}
  </>
);

/** Takes files, chosen or dropped. */
function Drop({ onFiles }: { onFiles: (files: FileList | null | undefined) => void }) {
  const [over, setOver] = useState(false);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the file field inside takes keyboards
    <div
      class={`drop card ${over ? 'over' : ''}`}
      onDragOver={event => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={event => {
        event.preventDefault();
        setOver(false);
        onFiles(event.dataTransfer?.files);
      }}
    >
      <Icon name="gallery" />
      <label for="bundle">Choose a bundle or a photo, or drop it here</label>
      <input
        id="bundle"
        type="file"
        accept=".zip,application/zip,image/*"
        multiple
        disabled={!canCheck}
        onChange={event => onFiles(event.currentTarget.files)}
      />
    </div>
  );
}

/** How far the check is, for screen readers too. `done`: the checks whose results are shown. */
const Working = ({ work, done }: { work: Work; done: number }) => (
  <div class="work" role="status">
    {work.state === 'checking' && (
      <p>
        <progress value={work.share} aria-label="Bytes read" /> Checking {work.name}
      </p>
    )}
    {work.state === 'idle' && done > 0 && (
      <p class="unseen">{done === 1 ? 'The check is done.' : `${done} checks are done.`}</p>
    )}
    {work.state === 'failed' && <p class="fault">The file cannot be read. {work.reason}</p>}
  </div>
);

const Foot = () => (
  <footer class="small soft">
    <p>
      The command <code>firsthand verify-evidence</code> makes the same checks in the same words. README.txt in the
      bundle says how to check by hand, with openssl and sha256sum.
    </p>
    {location.protocol.startsWith('http') && (
      <p>
        <a href={location.pathname} download="firsthand-verify.html">
          Save this page
        </a>{' '}
        to check bundles without the network.
      </p>
    )}
  </footer>
);

function TrustField(o: {
  field: (typeof FIELDS)[number];
  value: Trust;
  fault: Partial<Record<keyof Trust, string>>;
  onInput: (value: Trust) => void;
}) {
  const { name, label, hint } = o.field;
  const fault = o.fault[name];
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <p id={`${name}-hint`} class="small soft">
        {hint}
      </p>
      <textarea
        id={name}
        rows={3}
        spellcheck={false}
        autocomplete="off"
        aria-describedby={`${name}-hint${fault ? ` ${name}-fault` : ''}`}
        aria-invalid={fault ? 'true' : undefined}
        value={o.value[name]}
        onInput={event => o.onInput({ ...o.value, [name]: event.currentTarget.value })}
      />
      {fault && (
        <p id={`${name}-fault`} class="fault small">
          This cannot be read: {fault}
        </p>
      )}
    </div>
  );
}

render(<App />, document.getElementById('app')!);
