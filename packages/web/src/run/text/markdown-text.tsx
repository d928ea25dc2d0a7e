import { memo, type ReactNode } from 'react';
import { type Block, type Piece, readMarkdown } from './markdown.js';
import { shownText } from './shown-text.js';

/** A message as its writer meant it: Markdown as elements, everything else as text. */
export const MarkdownText = memo(function MarkdownText({ text }: { readonly text: string }): ReactNode {
  return (
    <div className="markdown" dir="auto">
      {readMarkdown(shownText(text)).map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks of one text never change places.
        <BlockOf key={index} block={block} />
      ))}
    </div>
  );
});

function BlockOf({ block }: { readonly block: Block }): ReactNode {
  switch (block.type) {
    case 'paragraph':
      return (
        <p>
          <Pieces pieces={block.pieces} />
        </p>
      );
    case 'quote':
      return (
        <blockquote>
          <Pieces pieces={block.pieces} />
        </blockquote>
      );
    case 'heading':
      return (
        <p className={`markdown-heading markdown-heading-${Math.min(block.level, 3)}`}>
          <Pieces pieces={block.pieces} />
        </p>
      );
    case 'code':
      return <CodeText text={block.text} label={block.language} />;
    case 'list': {
      const items = block.items.map((pieces, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items of one text never change places.
        <li key={index}>
          <Pieces pieces={pieces} />
        </li>
      ));
      return block.ordered ? <ol>{items}</ol> : <ul>{items}</ul>;
    }
    case 'table':
      return <Table rows={block.rows} />;
    case 'rule':
      return <hr />;
    default:
      return block satisfies never;
  }
}

function Table({ rows }: { readonly rows: readonly (readonly (readonly Piece[])[])[] }): ReactNode {
  const [head = [], ...body] = rows;
  return (
    <div className="scrolled">
      <table>
        <thead>
          <tr>{head.map((cell, index) => cellOf('th', cell, index))}</tr>
        </thead>
        <tbody>
          {body.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows of one text never change places.
            <tr key={index}>{row.map((cell, place) => cellOf('td', cell, place))}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function cellOf(Cell: 'td' | 'th', pieces: readonly Piece[], index: number): ReactNode {
  return (
    <Cell key={index}>
      <Pieces pieces={pieces} />
    </Cell>
  );
}

function Pieces({ pieces }: { readonly pieces: readonly Piece[] }): ReactNode {
  return pieces.map((piece, index) => {
    switch (piece.type) {
      case 'code':
        // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text never change places.
        return <code key={index}>{piece.text}</code>;
      case 'strong':
        // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text never change places.
        return <strong key={index}>{piece.text}</strong>;
      case 'emphasis':
        // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text never change places.
        return <em key={index}>{piece.text}</em>;
      case 'deleted':
        // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text never change places.
        return <del key={index}>{piece.text}</del>;
      case 'link':
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text never change places.
          <a key={index} href={piece.address} target="_blank" rel="noreferrer noopener" title={piece.address}>
            {piece.text}
          </a>
        );
      default:
        return piece.text;
    }
  });
}

/** Text in letters of one width, that scrolls by itself. */
export function CodeText({ text, label = '' }: { readonly text: string; readonly label?: string }): ReactNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard.
    <section className="code-text" tabIndex={0} aria-label={label === '' ? 'Code' : label} dir="ltr">
      <pre>
        <code>{text}</code>
      </pre>
    </section>
  );
}
