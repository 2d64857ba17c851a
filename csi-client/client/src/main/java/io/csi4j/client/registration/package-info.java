/**
 * Registrars: processes that announce a plugin on a socket of their own, as the sidecars of
 * Kubernetes do.
 *
 * <p>Start at {@link io.csi4j.client.registration.PluginRegistrar}. Which directory is watched for
 * such sockets, and what is accepted, is decided by the user of this package. The plugin itself is
 * a {@link io.csi4j.client.CsiPlugin}. All values here are immutable and safe to share between
 * threads.
 */
@NullMarked
package io.csi4j.client.registration;

import org.jspecify.annotations.NullMarked;
