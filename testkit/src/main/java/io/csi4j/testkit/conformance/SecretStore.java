package io.csi4j.testkit.conformance;

import io.csi4j.client.CsiOperation;
import io.csi4j.client.Secrets;
import io.csi4j.client.VolumeId;

/** Where an orchestrator looks up the secrets of a call, each time anew: it keeps none itself. */
@FunctionalInterface
public interface SecretStore {

  /** The secrets for this call about this volume; empty if it needs none. */
  Secrets secrets(VolumeId volume, CsiOperation operation);
}
