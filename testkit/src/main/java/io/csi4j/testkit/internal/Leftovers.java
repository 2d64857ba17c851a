package io.csi4j.testkit.internal;

import io.csi4j.testkit.PluginContents;
import java.util.ArrayList;
import java.util.List;

/** What of its volumes a plugin still has in use, in words. */
public final class Leftovers {

  private Leftovers() {}

  /** A line for each volume that is published, staged or attached, with the call that ends it. */
  public static List<String> of(PluginContents contents) {
    List<String> lines = new ArrayList<>();
    contents
        .published()
        .forEach(
            each ->
                lines.add(
                    "Volume '"
                        + each.volume()
                        + "' is still published on node '"
                        + each.node()
                        + "' at "
                        + each.path()
                        + ": NodeUnpublishVolume is owed."));
    contents
        .staged()
        .forEach(
            each ->
                lines.add(
                    "Volume '"
                        + each.volume()
                        + "' is still staged on node '"
                        + each.node()
                        + "' at "
                        + each.path()
                        + ": NodeUnstageVolume is owed."));
    contents
        .attached()
        .forEach(
            each ->
                lines.add(
                    "Volume '"
                        + each.volume()
                        + "' is still attached to node '"
                        + each.node()
                        + "': ControllerUnpublishVolume is owed."));
    return lines;
  }
}
