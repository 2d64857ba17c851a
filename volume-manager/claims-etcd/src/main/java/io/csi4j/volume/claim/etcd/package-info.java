/**
 * Claims and a catalog in etcd: {@link io.csi4j.volume.claim.etcd.EtcdStore#open}, with {@link
 * io.csi4j.volume.claim.etcd.EtcdSettings}. Only classes whose names begin with {@code Jetcd}
 * depend on the client library. This package contains no rules about claims or volumes. All classes
 * are safe for many threads.
 */
@NullMarked
package io.csi4j.volume.claim.etcd;

import org.jspecify.annotations.NullMarked;
