/**
 * Claims in etcd, for more than one machine. Start at {@link
 * io.csi4j.volume.claim.etcd.EtcdClaimStore#open}, with {@link
 * io.csi4j.volume.claim.etcd.EtcdSettings}.
 *
 * <p>Needs the artifact {@code io.etcd:jetcd-core}, which csi4j does not bring along; only classes
 * in here whose names begin with {@code Jetcd} know it, and they are loaded when a store is opened.
 * No rule about claims stands in here. Everything is safe for many threads.
 */
@NullMarked
package io.csi4j.volume.claim.etcd;

import org.jspecify.annotations.NullMarked;
