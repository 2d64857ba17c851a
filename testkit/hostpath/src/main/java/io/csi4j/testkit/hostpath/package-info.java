/**
 * A CSI plugin that really mounts: {@link io.csi4j.testkit.hostpath.HostPathPlugin}. It is a {@link
 * io.csi4j.testkit.TestPlugin}: it shares faults, the journal and the referee with the fake
 * plugins, and the rules of the spec with their backend. This package contains only the storage
 * below that backend.
 */
@NullMarked
package io.csi4j.testkit.hostpath;

import org.jspecify.annotations.NullMarked;
