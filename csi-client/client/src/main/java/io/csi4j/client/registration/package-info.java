/**
 * A client for registrars. A registrar is a process that announces a plugin on its own socket, such
 * as the sidecar {@code node-driver-registrar} of Kubernetes.
 *
 * <p>Start at {@link io.csi4j.client.registration.PluginRegistrar}. The caller decides which
 * directory is watched for registrar sockets, and which announcements are accepted. The plugin
 * itself is a {@link io.csi4j.client.CsiPlugin}. All values here are immutable and safe to share
 * between threads.
 */
@NullMarked
package io.csi4j.client.registration;

import org.jspecify.annotations.NullMarked;
