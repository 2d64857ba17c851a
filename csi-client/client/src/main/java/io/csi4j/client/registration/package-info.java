/**
 * Registrars: processes that announce a plugin on their own socket, as the sidecars of Kubernetes
 * do.
 *
 * <p>Start at {@link io.csi4j.client.registration.PluginRegistrar}. The user of this package
 * decides which directory is watched for such sockets, and which announcements are accepted. The
 * plugin itself is a {@link io.csi4j.client.CsiPlugin}. All values here are immutable and safe to
 * share between threads.
 */
@NullMarked
package io.csi4j.client.registration;

import org.jspecify.annotations.NullMarked;
