package io.csi4j.benchmarks.calls;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The strings for requests of all callers. A real host would also have these strings before the
 * call.
 */
final class Parts {

  static final String VOLUME = "vol-0123456789abcdef0";
  static final String STAGING = "/var/lib/host/csi/plugins/ebs.csi.aws.com/" + VOLUME + "/staging";
  static final String TARGET = "/var/lib/host/csi/workloads/3f1c7f0e-7d3e-4f51-9d56/mounts/data";
  static final String FS_TYPE = "ext4";

  static final Map<String, String> PUBLISH_CONTEXT = Map.of("devicePath", "/dev/xvdba");
  static final Map<String, String> VOLUME_CONTEXT =
      Map.of("csi.example/provisionerIdentity", "1700000000000-8081-ebs.csi.aws.com");

  /** The largest context that the specification allows. */
  static final Map<String, String> LARGE_PUBLISH_CONTEXT = large("publish");

  static final Map<String, String> LARGE_VOLUME_CONTEXT = large("volume");

  private static final int LARGE = 4096;
  private static final int ENTRIES = 32;

  private Parts() {}

  private static Map<String, String> large(String kind) {
    Map<String, String> context = new LinkedHashMap<>();
    for (int i = 0; i < ENTRIES; i++) {
      String key = String.format(Locale.ROOT, "%s-%02d", kind, i);
      context.put(key, "v".repeat(LARGE / ENTRIES - key.length()));
    }
    return context;
  }
}
