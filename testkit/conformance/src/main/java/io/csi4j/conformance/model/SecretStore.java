package io.csi4j.conformance.model;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.VolumeId;

/**
 * The place where an orchestrator looks up the secrets of a call, each time again: it keeps none
 * itself.
 *
 * @since 1.0
 */
@FunctionalInterface
public interface SecretStore {

  /** The secrets for this call about this volume; empty if it needs none. */
  Secrets secrets(VolumeId volume, CsiOperation operation);
}
