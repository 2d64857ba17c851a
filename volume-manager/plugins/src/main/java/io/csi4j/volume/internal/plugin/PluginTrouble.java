package io.csi4j.volume.internal.plugin;

import io.csi4j.volume.internal.text.ForeignText;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.plugin.PluginHealth.Reason;
import io.csi4j.volume.plugin.PluginHealth.Text;
import java.time.Duration;

/**
 * Why a plugin was not found to be well.
 *
 * @param reason what kind of reason
 * @param code what an operator is told of it
 * @param text why, for people
 */
public record PluginTrouble(Reason reason, OperatorCode code, Text text) {

  /** With text of unknown origin. */
  public static PluginTrouble of(Reason reason, OperatorCode code, String text) {
    return new PluginTrouble(reason, code, new Text(ForeignText.of(text)));
  }

  /** The plugin said nothing for so long. */
  public static PluginTrouble silent(Duration limit) {
    return of(
        Reason.SILENT,
        OperatorCode.PLUGIN_NOT_UP,
        "it did not answer within "
            + (limit.toMillisPart() == 0 ? limit.toSeconds() + " s" : limit.toMillis() + " ms"));
  }

  /** Whether asking again cannot tell anything else before something is changed. */
  public boolean isCertain() {
    return reason == Reason.DENIED || reason == Reason.REFUSED;
  }
}
