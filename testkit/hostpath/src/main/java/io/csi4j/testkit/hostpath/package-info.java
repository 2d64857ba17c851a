/**
 * A CSI plugin that really mounts: {@link io.csi4j.testkit.hostpath.HostPathPlugin}. It is a {@link
 * io.csi4j.testkit.TestPlugin}: faults, the journal and the referee are those of the fake plugins,
 * and the rules of the spec are those of their backend. Only the storage below it is here.
 */
@NullMarked
package io.csi4j.testkit.hostpath;

import org.jspecify.annotations.NullMarked;
