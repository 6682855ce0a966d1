import { render } from 'preact';
import { unreached } from './ui/connection.ts';
import { askWho, Shell } from './app/shell.tsx';
import { listenForKeys } from './app/shortcuts.ts';

listenForKeys();
render(<Shell />, document.querySelector('#page') ?? document.body);
askWho().catch(unreached);
