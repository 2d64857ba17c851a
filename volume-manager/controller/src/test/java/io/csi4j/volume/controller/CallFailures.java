package io.csi4j.volume.controller;

import io.csi4j.client.model.CsiException;
import io.csi4j.volume.internal.text.Subject;

/** Failures of calls as a controller reports them, for tests that call a plugin themselves. */
public final class CallFailures {

  private CallFailures() {}

  /** Returns the failure of a call. */
  public static ControllerException of(String doing, CsiException failed) {
    return ControllerFailures.of(Subject.of(doing), failed);
  }
}
