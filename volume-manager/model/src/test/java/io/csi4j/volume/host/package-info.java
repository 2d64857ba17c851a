/**
 * Programs of hosts that are compiled and run against what a published jar brings along. Start at
 * {@link io.csi4j.volume.host.HostProgram}.
 */
package io.csi4j.volume.host;
