// Loaded before the rest (`node -r`) and written for any Node.js: the rest is TypeScript, which an old one cannot read.
if (Number(process.versions.node.split('.')[0]) < 24) {
  console.error(
    `Firsthand needs Node.js 24 or later, and this is ${process.versions.node}: install it from https://nodejs.org, or let npm ci bring it along (Linux and macOS).`,
  );
  process.exit(1);
}
