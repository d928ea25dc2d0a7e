import { createRoot } from 'react-dom/client';
import { App } from './app/app.js';
import { applyTheme } from './app/theme.js';

applyTheme();
const container = document.getElementById('root');
if (container === null) throw new Error('The document has no element for the page.');
createRoot(container).render(<App />);
