// The gRPC of Node at both ends of a socket, for NodeStackTest:
//
//     stack.js serve SOCKET OPTIONS    a plugin that reports what arrives and plays what the name of a volume asks for
//     stack.js call SOCKET OPTIONS     a caller: each line of its input is one call
//
// OPTIONS are those of a server or a channel of grpc-js, as JSON. Both end with their input.
'use strict';

const grpc = require('@grpc/grpc-js');
const { csi, serve } = require('../../../plugin.js');

const [role, socket, given = '{}'] = process.argv.slice(2);
const options = JSON.parse(given);
const say = (...words) => console.log(words.join(' '));

function volume(number, size) {
  return { volume: { volume_id: `v-${number}`, capacity_bytes: '1', volume_context: { filler: 'x'.repeat(size) } } };
}

/** Reports a call when it arrives and when it ends, by its answer or without one. */
function reported(method) {
  return async (request, call) => {
    const left = call.getDeadline() === Infinity ? 'none' : call.getDeadline() - Date.now();
    say('call', call.getPath().replace(/.*\//, ''), 'authority', call.getHost(), 'deadline', left);
    call.on('cancelled', () => say('ended', request.name));
    return method(request);
  };
}

const played = {
  GetPluginInfo: () => ({ name: 'node.csi4j.test', vendor_version: '1' }),
  GetPluginCapabilities: () => ({ capabilities: [{ service: { type: 'CONTROLLER_SERVICE' } }] }),
  Probe: () => ({}),
  ControllerGetCapabilities: () => ({
    capabilities: ['CREATE_DELETE_VOLUME', 'LIST_VOLUMES'].map(type => ({ rpc: { type } })),
  }),
  // As many volumes as are asked for, of 1 KiB each.
  ListVolumes: ({ max_entries }) => ({ entries: Array.from({ length: max_entries }, (_, number) => volume(number, 1024)) }),
  CreateVolume({ name, parameters }) {
    if (name === 'hang') return new Promise(() => {});
    if (name === 'after-a-line') return new Promise(done => process.stdin.once('data', () => done(volume(1, 0))));
    if (name === 'fail') return Promise.reject(Object.assign(new Error(parameters.text), { code: Number(parameters.code) }));
    return volume(1, 0);
  },
};

if (role === 'serve') {
  const methods = Object.entries(played).map(([name, method]) => [name, reported(method)]);
  serve(Object.fromEntries(methods), socket, options);
  process.stdin.on('end', () => process.exit(0)).resume();
} else {
  const services = { identity: csi.Identity, controller: csi.Controller, node: csi.Node };
  const credentials = grpc.credentials.createInsecure();
  const client = Object.fromEntries(
    Object.entries(services).map(([name, Service]) => [name, new Service(`unix:${socket}`, credentials, options)])
  );
  // SERVICE METHOD TIMEOUT REQUEST, and as the answer CODE, the octets of the answer as JSON, the text of the status.
  require('readline')
    .createInterface({ input: process.stdin })
    .on('line', line => {
      const [, service, method, timeout, request] = line.match(/^(\S+) (\S+) (\S+) (.*)$/);
      const deadline = timeout === 'none' ? Infinity : Date.now() + Number(timeout);
      client[service][method](JSON.parse(request), { deadline }, (failed, answer) =>
        say(failed ? failed.code : 0, answer ? JSON.stringify(answer).length : 0, failed ? JSON.stringify(failed.details) : '')
      );
    })
    .on('close', () => process.exit(0));
  say('ready');
}
