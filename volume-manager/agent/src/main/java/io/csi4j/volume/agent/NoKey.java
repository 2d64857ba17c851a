package io.csi4j.volume.agent;

import io.csi4j.volume.state.seal.SealException;
import io.csi4j.volume.state.seal.Sealer;

/** The sealer of an agent without a key. It cannot open sealed secrets. */
final class NoKey implements Sealer {

  @Override
  public byte[] seal(byte[] clear, String about) {
    throw missing();
  }

  @Override
  public byte[] open(byte[] sealed, String about) {
    throw missing();
  }

  @Override
  public boolean isCurrent(byte[] sealed) {
    return false;
  }

  private static SealException missing() {
    return new SealException(
        "the agent of this node has no key. Give it the key of the control planes by"
            + " NodeAgent.Builder.sealer.");
  }
}
