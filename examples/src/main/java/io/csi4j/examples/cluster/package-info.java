/**
 * A host that is made of the two entry points of a cluster: {@link io.csi4j.examples.cluster.Host}
 * is a control plane or the agent of a node. What starts its processes, kills them and reports what
 * they do does not belong here.
 */
@NullMarked
package io.csi4j.examples.cluster;

import org.jspecify.annotations.NullMarked;
