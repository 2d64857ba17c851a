/**
 * An example host that uses the two entry points for a cluster: {@link
 * io.csi4j.examples.cluster.Host} is a control plane or the agent of a node. The code that starts,
 * kills and observes the host processes is in the parent package.
 */
@NullMarked
package io.csi4j.examples.cluster;

import org.jspecify.annotations.NullMarked;
