package io.csi4j.client.internal.mapping;

import io.csi4j.client.identity.IdentityService.PluginInfo;
import io.csi4j.client.internal.redaction.RecordText;
import io.csi4j.client.model.PluginName;
import java.util.Map;

/** The non-exported records that implement the results of {@code io.csi4j.client.identity}. */
final class IdentityResults {

  private IdentityResults() {}

  /** See {@link PluginInfo}. */
  public record PluginInfoValue(PluginName name, String vendorVersion, Map<String, String> manifest)
      implements PluginInfo {
    @Override
    public String toString() {
      return RecordText.of(this);
    }
  }
}
