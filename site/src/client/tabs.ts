// Blocks of code in several languages become tabs (https://www.w3.org/WAI/ARIA/apg/patterns/tabs/). Without this script they stand below each other.
const KEPT = 'firsthand-docs-language';

export function makeTabs(): void {
  const groups = [...document.querySelectorAll<HTMLElement>('.tabs')].map((element, group) =>
    makeGroup(element, group),
  );
  const chooseAll = (language: string) => {
    for (const choose of groups) choose(language);
  };
  document.addEventListener('language', event => {
    const { detail } = event as CustomEvent<string>;
    localStorage.setItem(KEPT, detail);
    chooseAll(detail);
  });
  chooseAll(localStorage.getItem(KEPT) ?? 'curl');
}

/** Returns what shows a language, where the group has it. */
function makeGroup(element: HTMLElement, group: number): (language: string) => void {
  const panels = [...element.querySelectorAll<HTMLElement>('.code')];
  const list = document.createElement('div');
  list.setAttribute('role', 'tablist');
  list.setAttribute('aria-label', 'Language');
  const tabs = panels.map((panel, index) => {
    const tab = document.createElement('button');
    tab.type = 'button';
    tab.setAttribute('role', 'tab');
    tab.id = `tab-${group}-${index}`;
    tab.textContent = panel.dataset.tab!;
    panel.id = `panel-${group}-${index}`;
    panel.setAttribute('role', 'tabpanel');
    panel.setAttribute('aria-labelledby', tab.id);
    tab.setAttribute('aria-controls', panel.id);
    tab.addEventListener('click', () => announce(tab.textContent));
    return tab;
  });
  list.addEventListener('keydown', event => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = tabs[(tabs.indexOf(document.activeElement as HTMLButtonElement) + step + tabs.length) % tabs.length]!;
    announce(next.textContent);
    next.focus();
  });
  list.append(...tabs);
  element.prepend(list);
  const choose = (index: number) => {
    for (const [at, tab] of tabs.entries()) {
      tab.setAttribute('aria-selected', String(at === index));
      tab.tabIndex = at === index ? 0 : -1;
      panels[at]!.hidden = at !== index;
    }
  };
  choose(0);
  return language => {
    const index = tabs.findIndex(tab => tab.textContent === language);
    if (index >= 0) choose(index);
  };
}

const announce = (language: string) => document.dispatchEvent(new CustomEvent('language', { detail: language }));
