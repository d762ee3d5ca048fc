// Loaded before the reference, some of whose styles are added without the nonce that the page's policy asks for.
const { content: nonce } = document.querySelector('meta[property=csp-nonce]');
const createElement = document.createElement.bind(document);
document.createElement = (name, options) => {
  const element = createElement(name, options);
  if (String(name).toLowerCase() === 'style') element.nonce = nonce;
  return element;
};
