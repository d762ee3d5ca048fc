import { execFileSync, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { packPackage } from '../../../scripts/pack.ts';

/** What clients of each time open a connection with. */
export const ERAS = { '2026-07-28': { pin: '2026-07-28' }, '2025-11-25': 'legacy' } as const;
export type Era = keyof typeof ERAS;

export interface Installed {
  /** The program as npm installed it. */
  main: string;
  remove(): Promise<void>;
}

/** Packs the server and installs the archive in an empty folder, as a user does. */
export async function installMcp(): Promise<Installed> {
  const folder = await mkdtemp(join(tmpdir(), 'fh-mcp-'));
  const archive = await packPackage('mcp', folder);
  const project = join(folder, 'project');
  await mkdir(project);
  await writeFile(join(project, 'package.json'), '{ "private": true }');
  execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', archive], { cwd: project });
  return {
    main: join(project, 'node_modules/@firsthand/mcp/dist/main.js'),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

export interface Agent {
  client: Client;
  /** Calls a tool; throws unless it succeeds with the same facts in both forms. */
  facts<T = Record<string, unknown>>(name: string, args?: object): Promise<T>;
  /** Calls a tool that must refuse; returns its words. */
  refusal(name: string, args?: object): Promise<string>;
  call(name: string, args?: object): Promise<CallToolResult>;
  close(): Promise<void>;
}

export async function overStdio({ main }: Installed, env: Record<string, string>, era: Era): Promise<Agent> {
  const transport = new StdioClientTransport({ command: process.execPath, args: [main], env, stderr: 'ignore' });
  return agentOf(transport, era);
}

export const overHttp = (url: string, headers: Record<string, string>, era: Era): Promise<Agent> =>
  agentOf(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }), era);

async function agentOf(transport: Parameters<Client['connect']>[0], era: Era): Promise<Agent> {
  const client = new Client({ name: 'a-test', version: '1.0.0' }, { versionNegotiation: { mode: ERAS[era] } });
  await client.connect(transport);
  const call = (name: string, args: object = {}) =>
    client.callTool({ name, arguments: args as Record<string, unknown> }) as Promise<CallToolResult>;
  const textOf = ({ content }: CallToolResult) => content.map(part => (part.type === 'text' ? part.text : '')).join('');
  return {
    client,
    call,
    async facts<T>(name: string, args?: object) {
      const result = await call(name, args);
      if (result.isError) throw new Error(`${name} refused: ${textOf(result)}`);
      if (textOf(result) !== JSON.stringify(result.structuredContent)) throw new Error(`${name} says two things`);
      return result.structuredContent as T;
    },
    async refusal(name, args) {
      const result = await call(name, args);
      if (!result.isError || result.structuredContent) throw new Error(`${name} did not refuse`);
      return textOf(result);
    },
    close: () => client.close(),
  };
}

export interface HttpServer {
  url: string;
  stop(): Promise<void>;
}

/** Starts the program with `--http`. */
export async function startMcpHttp(
  { main }: Installed,
  env: Record<string, string>,
  ...args: string[]
): Promise<HttpServer> {
  const child = spawn(process.execPath, [main, '--http', '0', ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise<void>(resolve => child.once('exit', () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    let written = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      written += text;
      const found = /listens on (\S+)/.exec(written)?.[1];
      if (found) resolve(found);
    });
    void ended.then(() => reject(new Error(`the MCP server ended: ${written}`)));
  });
  return {
    url,
    async stop() {
      child.kill();
      await ended;
    },
  };
}
