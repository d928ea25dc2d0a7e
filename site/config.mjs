import { readFileSync } from 'node:fs';

const read = (file) => readFileSync(new URL(file, import.meta.url), 'utf8');
const sidebar = JSON.parse(read('./sidebar.json'));

export default {
  title: 'Fullstop',
  description: 'Every run ends with exactly one typed termination',
  cleanUrls: true,
  lastUpdated: false,
  head: [['style', {}, read('./tables.css')]],
  markdown: {
    // Templates are shown and not executed.
    config(markdown) {
      markdown.renderer.rules.code_inline = (tokens, index) =>
        `<code v-pre>${markdown.utils.escapeHtml(tokens[index].content)}</code>`;
    },
  },
  // The pages of the reference are tables with types: those get the room of the outline too.
  transformPageData(page) {
    if (page.relativePath.startsWith('reference/')) page.frontmatter.aside = false;
  },
  themeConfig: {
    search: { provider: 'local' },
    sidebar,
    outline: [2, 3],
  },
};
