// The field that narrows the list of operations. All else on the page works without scripts.
const nav = document.querySelector('nav');
const field = document.createElement('input');
field.type = 'search';
field.placeholder = 'Filter operations';
field.setAttribute('aria-label', field.placeholder);
nav.prepend(field);

const groups = [...nav.querySelectorAll('details')].map((group) => ({
  group,
  items: [...group.querySelectorAll('li')].map((item) => ({
    item,
    text: `${item.textContent} ${item.firstElementChild.title}`.toLowerCase(),
  })),
}));

field.addEventListener('input', () => {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const { group, items } of groups) {
    let shown = 0;
    for (const { item, text } of items) {
      item.hidden = !words.every((word) => text.includes(word));
      if (!item.hidden) shown += 1;
    }
    group.hidden = shown === 0;
    group.open = words.length > 0 && shown > 0;
  }
});
