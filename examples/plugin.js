#!/usr/bin/env node
// A CSI plugin in JavaScript: volumes are directories, mounted by bind mounts. It shows csi4j beside the gRPC of Node.
//
//     examples/plugin.js SOCKET DIRECTORY
//
// `npm ci` in this folder installs the two modules it needs. Mounting needs root, or a user namespace.
// It is an example, not a driver: it remembers nothing but the directories, and serves one call at a time.
'use strict';

const { execFileSync, spawnSync } = require('child_process');
const { createHash } = require('crypto');
const fs = require('fs');
const path = require('path');
const grpc = require('@grpc/grpc-js');
const loader = require('@grpc/proto-loader');

const CONTRACT = path.join(__dirname, '../csi-client/client/src/main/proto/csi.proto');
const SINGLE_NODE = ['WRITER', 'READER_ONLY', 'SINGLE_WRITER', 'MULTI_WRITER'].map(kind => 'SINGLE_NODE_' + kind);
const SIZE = 1n << 30n;
const csi = grpc.loadPackageDefinition(
  loader.loadSync(CONTRACT, { keepCase: true, longs: String, enums: String, defaults: true, oneofs: true })
).csi.v1;

function fail(code, message) {
  throw Object.assign(new Error(message), { code: grpc.status[code] });
}

function check(request, ...fields) {
  for (const field of fields) {
    const value = request[field];
    if (!value || value.length === 0) fail('INVALID_ARGUMENT', `${field} is missing`);
    if (field.endsWith('_id') && Buffer.byteLength(value) > 128) fail('INVALID_ARGUMENT', `${field} is too long`);
    if (field.endsWith('_path') && !path.isAbsolute(value)) fail('INVALID_ARGUMENT', `${field} is not absolute`);
  }
}

const isServed = capability => capability.access_type === 'mount' && SINGLE_NODE.includes(capability.access_mode?.mode);
const isMounted = target => spawnSync('mountpoint', ['-q', target]).status === 0;

function plugin(root) {
  // No other name leads to a directory, so that no id leads out of the root.
  const isKnown = id => /^v-[0-9a-f]{32}$/.test(id) && fs.existsSync(path.join(root, id));
  function directory(id) {
    return isKnown(id) ? path.join(root, id) : fail('NOT_FOUND', `there is no volume ${id}`);
  }

  return {
    GetPluginInfo: () => ({ name: 'node.csi4j.example', vendor_version: '1' }),
    GetPluginCapabilities: () => ({ capabilities: [{ service: { type: 'CONTROLLER_SERVICE' } }] }),
    Probe: () => ({}),
    ControllerGetCapabilities: () => ({
      capabilities: ['CREATE_DELETE_VOLUME', 'SINGLE_NODE_MULTI_WRITER'].map(type => ({ rpc: { type } })),
    }),
    NodeGetCapabilities: () => ({ capabilities: [{ rpc: { type: 'SINGLE_NODE_MULTI_WRITER' } }] }),
    NodeGetInfo: () => ({ node_id: 'here' }),

    CreateVolume(request) {
      check(request, 'name', 'volume_capabilities');
      if (!request.volume_capabilities.every(isServed)) fail('INVALID_ARGUMENT', 'such a volume is not made here');
      if (request.volume_content_source) fail('INVALID_ARGUMENT', 'volumes have no sources here');
      const { required_bytes = 0, limit_bytes = 0 } = request.capacity_range ?? {};
      const [least, most] = [BigInt(required_bytes), BigInt(limit_bytes)];
      if (least < 0n || most < 0n || (most && least > most)) fail('INVALID_ARGUMENT', 'no volume can have such a size');
      const volume_id = 'v-' + createHash('sha256').update(request.name).digest('hex').slice(0, 32);
      const file = path.join(root, volume_id + '.size');
      if (!fs.existsSync(file)) {
        fs.mkdirSync(path.join(root, volume_id), { recursive: true });
        fs.writeFileSync(file, String(least || most || SIZE));
      }
      const size = BigInt(fs.readFileSync(file, 'utf8'));
      if (size < least || (most && size > most)) fail('ALREADY_EXISTS', 'there is one of another size');
      return { volume: { volume_id, capacity_bytes: String(size) } };
    },

    DeleteVolume(request) {
      check(request, 'volume_id');
      if (isKnown(request.volume_id)) {
        execFileSync('rm', ['-r', '--one-file-system', directory(request.volume_id)]);
        fs.rmSync(path.join(root, request.volume_id + '.size'), { force: true });
      }
      return {};
    },

    ValidateVolumeCapabilities(request) {
      check(request, 'volume_id', 'volume_capabilities');
      directory(request.volume_id);
      const { volume_context, volume_capabilities, parameters } = request;
      return volume_capabilities.every(isServed)
        ? { confirmed: { volume_context, volume_capabilities, parameters } }
        : { message: 'mounts of one node alone' };
    },

    NodePublishVolume(request) {
      check(request, 'volume_id', 'target_path', 'volume_capability');
      if (!isServed(request.volume_capability)) fail('INVALID_ARGUMENT', 'volumes are not published so here');
      const [source, target] = [directory(request.volume_id), request.target_path];
      if (!fs.existsSync(target)) fs.mkdirSync(target);
      if (!isMounted(target)) {
        execFileSync('mount', ['-o', request.readonly ? 'bind,ro' : 'bind', source, target]);
      } else if (spawnSync('test', ['-w', target]).status === (request.readonly ? 0 : 1)) {
        fail('ALREADY_EXISTS', 'it is published there in the other way');
      }
      return {};
    },

    NodeUnpublishVolume(request) {
      check(request, 'volume_id', 'target_path');
      if (isMounted(request.target_path)) execFileSync('umount', [request.target_path]);
      if (fs.existsSync(request.target_path)) fs.rmdirSync(request.target_path);
      return {};
    },
  };
}

/** Each method takes a request, and returns the answer or throws an error with a code. */
function serve(methods, socket, options = {}) {
  const server = new grpc.Server(options);
  const answered = ([name, method]) => [
    name,
    (call, answer) => {
      Promise.resolve(call)
        .then(({ request }) => method(request, call))
        .then(
          response => answer(null, response),
          ({ code, message }) => answer({ code: Number.isInteger(code) ? code : grpc.status.INTERNAL, details: message })
        );
    },
  ];
  const handlers = Object.fromEntries(Object.entries(methods).map(answered));
  for (const { service } of [csi.Identity, csi.Controller, csi.Node]) server.addService(service, handlers);
  fs.rmSync(socket, { force: true });
  server.bindAsync(`unix:${path.resolve(socket)}`, grpc.ServerCredentials.createInsecure(), failed => {
    if (failed) throw failed;
    console.log(`The plugin listens at unix://${socket}`);
  });
  // Callers are asked to leave, and calls come to their end.
  process.on('SIGTERM', () => server.tryShutdown(() => process.exit(0)));
}

module.exports = { csi, plugin, serve };

if (require.main === module) {
  const [socket, directory] = process.argv.slice(2);
  fs.mkdirSync(directory, { recursive: true });
  serve(plugin(fs.realpathSync(directory)), socket);
}
