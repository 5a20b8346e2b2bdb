#!/usr/bin/env node
'use strict';

/*!
 * A router, only here to be parsed.
 */

const fs = require('fs');
const { join } = require('node:path');
const debug = require('debug')('router');
var parse = require('./parse').parse, LIMIT = 10;
import defaultExport, { named as other } from '../lib/other.mjs';
export { helper } from './helper';

// eslint-disable-next-line no-unused-vars
let counter = 0;

/** Largest number of routes. */
export const MAX_ROUTES = 512, MIN_ROUTES = 1;

/**
 * Answers requests.
 *
 * @param {object} options
 */
export default class Router extends Base {
  static #instances = new Map();
  prefix = '/';
  // Called for each request that no route takes.
  onMissing = async (request) => {
    throw new NotFound(request.url);
  };

  constructor(options = { strict: false }) {
    super();
    this.options = options;
  }

  get size() { return this.routes.length; }

  static async *walk(tree) {
    yield* tree;
  }

  #match(path) {
    const inner = (part) => {
      return part.trim();
    };
    const short = (part) => part;
    return path.split('/').map(inner).map(short);
  }
}

/** A route's key. */
const keyOf = (method, path) => `${method} ${path}`;

export const compose = function composeAll(...layers) {
  return layers.reduce((a, b) => (x) => a(b(x)));
};

function* ids() {
  while (true) yield counter++;
}

/**
 * Adds a route.
 */
Router.prototype.add = function (path, handler) {
  this.routes.push({ path, handler });
};

Router.from = (text) => {
  return new Router(JSON.parse(text));
};

module.exports.version = '1.2.3';
exports.load = async function load(file) {
  const content = await import('./content.js');
  return fs.readFileSync(join(file, content));
};
module.exports = function createRouter() {
  return new Router();
};

export const handlers = {
  index: (request) => request,
  'not-found': function () {
    return 404;
  },
  nested: { deep: () => 1 },
  async show(id) {
    return <Page id={id} render={() => <b>größe</b>} />;
  },
};

(function () {
  function hidden() {
    return typeof window;
  }
  hidden();
})();

app.use((req, res) => {
  res.end();
});
