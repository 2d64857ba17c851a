/**
 * A store of claims and a catalog in etcd. Start at {@link
 * io.csi4j.volume.claim.etcd.EtcdStore#open} and {@link io.csi4j.volume.claim.etcd.EtcdSettings}.
 * Only classes whose names begin with {@code Jetcd} depend on the client library jetcd. This
 * package contains no rules about claims or volumes. All classes are thread-safe.
 */
@NullMarked
package io.csi4j.volume.claim.etcd;

import org.jspecify.annotations.NullMarked;
