package io.csi4j.volume.claim.sim;

/** A rule of the way of claims that is not kept; the harm has to be found. */
enum Defect {
  /** D-45: a claim on its way back does not count. */
  LEAVING_DOES_NOT_COUNT,
  /** D-46: nodes are not looked at. */
  NODES_ARE_ALIKE,
  /** D-48: claiming again makes a reader a writer, whoever else writes. */
  CLAIMING_AGAIN_CHANGES,
  /** D-50: a claim that was released is forgotten at once. */
  FORGOTTEN_UNPROVEN,
  /** A claim is let in while the volume is just being detached from its node. */
  LET_IN_WHILE_DETACHING,
  /** Whoever goes back detaches, whoever else uses the attachment. */
  DETACHED_UNDER_OTHERS,
  /** What is detached is told of all who are there by then. */
  ALL_ARE_TOLD_DETACHED,
  /** The storage system is asked to detach before the node is done. */
  DETACHED_BEFORE_NODE,
  /** A receipt counts for whatever epoch there is. */
  RECEIPT_OF_ANY_EPOCH,
  /** K4: a node that is silent for long counts as done. */
  SILENCE_IS_PROOF,
  /** K3, K5: the node does not confirm its epoch. */
  EPOCH_NOT_CONFIRMED,
  /** After its receipt the node mounts what it had confirmed before. */
  RECEIPT_LEAVES_EPOCH_OPEN,
  /** K7: another store is taken for the same. */
  ANY_STORE_IS_TRUSTED,
  /** A3: an attaching whose end is not known is taken for none. */
  DOUBT_IS_NOTHING,
  /** What was attached for a claim that is gone is left alone. */
  LEFT_OVER_IS_LEFT,
  /** A volume is deleted after a look at its claims alone. */
  DELETION_HOLDS_NOTHING,
  /** A deletion does not see the claims on their way back. */
  DELETION_SEES_NONE_LEAVING,
  /** Whoever claims does not see that the volume is held for its deletion. */
  HOLD_IS_NOT_SEEN,
  /** The record of a deletion goes before its hold. */
  HOLD_OUTLIVES_RECORD,
  /** What a killed process had begun to delete is left so. */
  DELETION_IS_NOT_RESUMED,
  /** A deletion of which the end is not known is taken for none. */
  DOUBTED_DELETION_IS_UNDONE,
  /** A claim is granted without a look at the record of the volume. */
  RECORD_IS_NOT_ASKED
}
