/**
 * Contention for claims, for real: processes that claim and give back volumes through one etcd, and
 * are killed and stopped meanwhile, as etcd is. Each writes down what it asks and is told; then the
 * history of all of them is checked. Begin with {@code Contention}; {@code HistoryCheck} says what
 * has to hold.
 */
package io.csi4j.volume.contend;
