package io.csi4j.testkit.model;

/**
 * A call that a registrar serves.
 *
 * @since 1.0
 */
public enum RegistrationCall {
  /** The request for the announcement. */
  GET_INFO("GetInfo"),
  /** The notification of the outcome. */
  NOTIFY_REGISTRATION_STATUS("NotifyRegistrationStatus");

  private final String rpcName;

  RegistrationCall(String rpcName) {
    this.rpcName = rpcName;
  }

  /** Returns the name of the call in the protocol. */
  public String rpcName() {
    return rpcName;
  }
}
