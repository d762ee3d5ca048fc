// One run of an app: takes what the link still lacks, sends it, and says each photo that it keeps. It is killed at the change of the disk
// given by its number, before it or halfway through it.
import { openCapture } from '@firsthand/react-native/capture.ts';
import { scene } from '../support/pictures.ts';
import { nodePhone } from './node-phone.ts';

const [folder = '', baseUrl = '', token = '', killAt = '', when = ''] = process.argv.slice(2);

let changes = 0;
const phone = nodePhone(folder, {
  async before(_, half) {
    changes += 1;
    if (changes !== Number(killAt)) return;
    if (when === 'half') await half?.();
    process.kill(process.pid, 'SIGKILL');
    // The signal arrives while this waits.
    await new Promise(() => setTimeout(() => {}, 60_000));
  },
});
const capture = await openCapture(phone, { token, baseUrl });
for (;;) {
  const view = await capture.view();
  const [step] = view.config.steps;
  const [state] = view.step_states;
  if (!step || step.type === 'text' || !state || state.type === 'text') throw new Error('not a photo step');
  const lacking = step.min - state.captured - (await capture.photos()).length;
  for (let n = 0; n < lacking; n++) {
    const uri = await phone.shoot(await scene(Math.floor(Math.random() * 1e9), 640, 480));
    console.log((await capture.add(step, uri)).sha256);
  }
  await capture.attested();
  const { outcome } = await capture.send();
  if (outcome === 'done' && lacking <= 0) break;
  if (outcome !== 'done') throw new Error(outcome);
}
