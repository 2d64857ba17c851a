package io.csi4j.volume.model;

import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.MountOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * An SELinux label for the files of a workload, such as {@code
 * system_u:object_r:container_file_t:s0:c15,c25}. A filesystem that is mounted with a label shows
 * this label on all files, so no file has to be relabelled. The label is not a secret.
 *
 * <pre>{@code
 * SelinuxLabel label = SelinuxLabel.of("system_u:object_r:container_file_t:s0:c15,c25");
 * MountRequest request =
 *     MountRequest.builder(plugin, usage, handle, AccessMode.SINGLE_NODE_WRITER)
 *         .selinuxLabel(label) // sent if the policy of the plugin says that it takes labels
 *         .build();
 * }</pre>
 *
 * @param value user, role, type and optionally level, separated by colons
 * @since 1.0
 */
public record SelinuxLabel(String value) {

  private static final Pattern FORM = Pattern.compile("[\\w.-]+:[\\w.-]+:[\\w.-]+(:[\\w.,:-]+)?");

  private static final int LONGEST = 255;
  private static final String NAME = "context=";
  private static final MountFlags NO_FLAGS = MountFlags.of();

  /** Rejects text that is not an SELinux label. */
  public SelinuxLabel {
    Objects.requireNonNull(value, "value");
    if (value.length() > LONGEST || !FORM.matcher(value).matches()) {
      throw new IllegalArgumentException(
          "'"
              + SafeText.escape(value, LONGEST)
              + "' is not an SELinux label. Use user, role, type and level, separated by colons.");
    }
  }

  /** Returns the label with this text. */
  public static SelinuxLabel of(String value) {
    return new SelinuxLabel(value);
  }

  /** Returns the label that these mount flags contain, if they contain one. */
  public static Optional<SelinuxLabel> in(MountFlags flags) {
    return flags.reveal().stream()
        .filter(SelinuxLabel::isLabel)
        .findFirst()
        .map(flag -> new SelinuxLabel(unquoted(flag)));
  }

  /** Returns these mount flags without a label. */
  public static MountFlags without(MountFlags flags) {
    return MountFlags.of(flags.reveal().stream().filter(flag -> !isLabel(flag)).toList());
  }

  /**
   * Returns mount options with the flag for this label. The flag replaces the flag of any other
   * label. Use this method for the request of a claim, because the options of a claim are also sent
   * to the controller.
   */
  public MountOptions addedTo(MountOptions options) {
    List<String> flags =
        new ArrayList<>(options.flags().map(SelinuxLabel::without).orElse(NO_FLAGS).reveal());
    flags.add(NAME + '"' + value + '"');
    return options.withFlags(MountFlags.of(flags));
  }

  private static boolean isLabel(String flag) {
    return flag.startsWith(NAME)
        && unquoted(flag).length() <= LONGEST
        && FORM.matcher(unquoted(flag)).matches();
  }

  private static String unquoted(String flag) {
    String text = flag.substring(NAME.length());
    boolean isQuoted = text.length() > 1 && text.startsWith("\"") && text.endsWith("\"");
    return isQuoted ? text.substring(1, text.length() - 1) : text;
  }

  @Override
  public String toString() {
    return value;
  }
}
