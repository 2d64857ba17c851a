/**
 * Claims in etcd, for more than one machine. Start at {@link
 * io.csi4j.volume.claim.etcd.EtcdClaimStore#open}, with {@link
 * io.csi4j.volume.claim.etcd.EtcdSettings}. Only classes whose names begin with {@code Jetcd} know
 * the client library. No rule about claims stands in here. Everything is safe for many threads.
 */
@NullMarked
package io.csi4j.volume.claim.etcd;

import org.jspecify.annotations.NullMarked;
