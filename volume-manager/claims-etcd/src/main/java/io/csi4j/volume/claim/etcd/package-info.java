/**
 * Claims and a catalog in etcd: {@link io.csi4j.volume.claim.etcd.EtcdStore#open}, with {@link
 * io.csi4j.volume.claim.etcd.EtcdSettings}. Only classes whose names begin with {@code Jetcd} know
 * the client library. No rule about claims or volumes is in it. Everything is safe for many
 * threads.
 */
@NullMarked
package io.csi4j.volume.claim.etcd;

import org.jspecify.annotations.NullMarked;
