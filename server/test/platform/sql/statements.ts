import { dirname, join, relative } from 'node:path';
import ts from 'typescript';

/** One SQL statement of the server's sources. */
export interface Statement {
  /** `file:line` below `server/src`. */
  at: string;
  /** Null where part of the text is computed at run time. */
  text: string | null;
  /** The row type that the caller reads: property to the types it may have; null where the caller names none. */
  row: Map<string, string> | null;
}

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');
const SOURCES = join(ROOT, 'server', 'src');

/** The functions that take SQL, and which argument it is; all are named so wherever they are called. */
const TAKES_SQL: Readonly<Record<string, number>> = { query: 0, one: 1, many: 1 };

/** Every call in `server/src` that hands SQL to the database, with the row type it claims. */
export function readStatements(): Statement[] {
  const configFile = join(ROOT, 'tsconfig.json');
  const config = ts.getParsedCommandLineOfConfigFile(
    configFile,
    { noEmit: true, composite: false },
    {
      ...ts.sys,
      onUnRecoverableConfigFileDiagnostic: problem => {
        throw new Error(ts.flattenDiagnosticMessageText(problem.messageText, '\n'));
      },
    },
  )!;
  const roots = config.fileNames.filter(file => file.startsWith(SOURCES) && !file.endsWith('.test.ts'));
  const program = ts.createProgram(roots, { ...config.options, noEmit: true });
  const checker = program.getTypeChecker();
  const statements: Statement[] = [];
  for (const file of program.getSourceFiles()) {
    if (!file.fileName.startsWith(SOURCES)) continue;
    const visit = (node: ts.Node): void => {
      if (ts.isCallExpression(node)) {
        const statement = statementOf(node, file, checker);
        if (statement) statements.push(statement);
      }
      ts.forEachChild(node, visit);
    };
    visit(file);
  }
  return statements;
}

function statementOf(call: ts.CallExpression, file: ts.SourceFile, checker: ts.TypeChecker): Statement | null {
  const callee = call.expression;
  const name = ts.isPropertyAccessExpression(callee) ? callee.name.text : ts.isIdentifier(callee) ? callee.text : '';
  const argument = call.arguments[TAKES_SQL[name] ?? -1];
  if (!argument) return null;
  // `one` and `many` themselves pass their argument on.
  if (dirname(file.fileName).endsWith('/db') && file.fileName.endsWith('/sql.ts') && ts.isIdentifier(argument)) {
    return null;
  }
  const { line } = file.getLineAndCharacterOfPosition(call.getStart(file));
  const rowType = call.typeArguments?.[0];
  return {
    at: `${relative(SOURCES, file.fileName)}:${line + 1}`,
    text: textOf(preparedText(argument) ?? argument, checker),
    row: rowType ? membersOf(checker.getTypeFromTypeNode(rowType), checker) : null,
  };
}

/** The `text` of a prepared statement's `{ name, text, values }`. */
function preparedText(argument: ts.Expression): ts.Expression | undefined {
  if (!ts.isObjectLiteralExpression(argument)) return undefined;
  const text = argument.properties.find(
    member => member.name && ts.isIdentifier(member.name) && member.name.text === 'text',
  );
  return text && ts.isPropertyAssignment(text) ? text.initializer : undefined;
}

/** The text of an expression made of literals and of constants that are; null for any other. */
function textOf(node: ts.Expression, checker: ts.TypeChecker): string | null {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) return textOf(node.expression, checker);
  if (ts.isNumericLiteral(node)) return node.text.replaceAll('_', '');
  if (ts.isTemplateExpression(node)) {
    let text = node.head.text;
    for (const { expression, literal } of node.templateSpans) {
      const part = textOf(expression, checker);
      if (part === null) return null;
      text += part + literal.text;
    }
    return text;
  }
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const [left, right] = [textOf(node.left, checker), textOf(node.right, checker)];
    return left === null || right === null ? null : left + right;
  }
  if (ts.isIdentifier(node)) {
    const symbol = checker.getSymbolAtLocation(node);
    const target = symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    const declaration = target?.valueDeclaration;
    if (!declaration || !ts.isVariableDeclaration(declaration) || !declaration.initializer) return null;
    const constant = (declaration.parent.flags & ts.NodeFlags.Const) !== 0;
    return constant ? textOf(declaration.initializer, checker) : null;
  }
  return null;
}

/** TypeScript types that a database value may be read as. `any` takes every type. */
function kindsOf(type: ts.Type, checker: ts.TypeChecker): string {
  const parts = type.isUnion() ? type.types : [type];
  const kinds = parts.map(part => {
    if (part.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return 'any';
    if (part.flags & ts.TypeFlags.Null) return 'null';
    if (part.flags & ts.TypeFlags.Undefined) return 'undefined';
    if (part.flags & ts.TypeFlags.StringLike) return 'string';
    if (part.flags & ts.TypeFlags.NumberLike) return 'number';
    if (part.flags & ts.TypeFlags.BooleanLike) return 'boolean';
    if (part.flags & ts.TypeFlags.BigIntLike) return 'bigint';
    const name = part.getSymbol()?.name;
    if (name === 'Date') return 'Date';
    if (name === 'Buffer' || name === 'Uint8Array') return 'Buffer';
    if (checker.isArrayType(part)) {
      return `${kindsOf(checker.getTypeArguments(part as ts.TypeReference)[0]!, checker)}[]`;
    }
    return 'object';
  });
  return [...new Set(kinds)].sort().join('|');
}

function membersOf(type: ts.Type, checker: ts.TypeChecker): Map<string, string> {
  return new Map(
    checker
      .getPropertiesOfType(type)
      .map(property => [property.name, kindsOf(checker.getTypeOfSymbol(property), checker)]),
  );
}
