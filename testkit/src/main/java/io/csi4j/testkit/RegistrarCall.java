package io.csi4j.testkit;

/** The calls that a registrar serves. */
public enum RegistrarCall {
  /** What it announces. */
  GET_INFO("GetInfo"),
  /** What has become of that. */
  NOTIFY_REGISTRATION_STATUS("NotifyRegistrationStatus");

  private final String rpcName;

  RegistrarCall(String rpcName) {
    this.rpcName = rpcName;
  }

  /** The name of the call in the protocol. */
  public String rpcName() {
    return rpcName;
  }
}
