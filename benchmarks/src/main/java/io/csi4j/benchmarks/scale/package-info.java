/**
 * Measures a control plane with many volumes and claims in etcd and in PostgreSQL, compared with
 * bare conditional writes and bare reads on the same server. Start at {@link
 * io.csi4j.benchmarks.scale.ScaleFamily}.
 */
@NullMarked
package io.csi4j.benchmarks.scale;

import org.jspecify.annotations.NullMarked;
