import { expect, it } from 'vitest';
import { workflowCommand } from './workflow-command.js';

it('texts of others cannot leave their place in a command', () => {
  const evil = 'a,line=1::x\n::set-output name=a::b\r\u001b[2J100%';
  const command = workflowCommand('error', { file: evil, line: 3 }, evil);
  expect(command).toBe(
    '::error file=a%2Cline=1%3A%3Ax %3A%3Aset-output name=a%3A%3Ab [2J100%25,line=3::a,line=1::x%0A::set-output name=a::b [2J100%25\n',
  );
  expect(command.split('\n')).toHaveLength(2);
});
