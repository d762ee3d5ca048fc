// The part of Eleventy that this site uses. The package has no types.
declare module '@11ty/eleventy' {
  export interface Page {
    /** Path below the input folder, without extension: `/decisions/0001-one-engine`. */
    filePathStem: string;
  }
  export interface Config {
    setUseGitIgnore(use: boolean): void;
    setTemplateFormats(formats: string[]): void;
    setLibrary(format: 'md', library: { render(markdown: string, data: { page: Page }): string }): void;
    addTemplate(path: string, content: string): void;
    addGlobalData(name: string, value: string | (() => (data: { page: Page }) => string)): void;
  }
  export default class Eleventy {
    constructor(
      input: string,
      output: string,
      options: { configPath: false; quietMode: boolean; config: (config: Config) => void },
    );
    /** Renders every page and writes nothing. */
    toJSON(): Promise<{ outputPath: string; content: string }[]>;
  }
}
