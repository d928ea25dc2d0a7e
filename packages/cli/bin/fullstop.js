#!/usr/bin/env node
// Stands in the repository, so that the command is linked before it is built.
import '../dist/main.js';
