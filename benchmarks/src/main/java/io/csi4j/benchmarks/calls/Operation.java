package io.csi4j.benchmarks.calls;

/** The operations that are called. */
enum Operation {
  PROBE("Probe", "csi.v1.Identity/Probe"),
  PUBLISH("NodePublishVolume", "csi.v1.Node/NodePublishVolume"),
  PUBLISH_LARGE("NodePublishVolume, contexts of 4 KiB each", "csi.v1.Node/NodePublishVolume");

  private final String text;
  private final String method;

  Operation(String text, String method) {
    this.text = text;
    this.method = method;
  }

  /** Returns the description for people. */
  String text() {
    return text;
  }

  /** Returns the full gRPC name of the method. */
  String method() {
    return method;
  }
}
