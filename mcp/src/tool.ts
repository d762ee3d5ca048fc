import type { ToolAnnotations } from '@modelcontextprotocol/server';
import type * as z from 'zod';
import type { Found } from './answer.ts';
import type { Service } from './service.ts';
import type { Write } from './settings.ts';

export interface Tool<S extends z.ZodRawShape = z.ZodRawShape> {
  name: string;
  title: string;
  description: string;
  input: S;
  /** All four, always: a client takes a missing hint for the worst. */
  hints: Required<Omit<ToolAnnotations, 'title'>>;
  /** The tool is there only where the operator allows this. */
  write?: Write;
  run(input: z.output<z.ZodObject<S>>, call: { service: Service; signal: AbortSignal }): Promise<Found>;
}

export const tool = <S extends z.ZodRawShape>(declared: Tool<S>): Tool => declared as unknown as Tool;
