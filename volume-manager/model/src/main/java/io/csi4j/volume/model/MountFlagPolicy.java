package io.csi4j.volume.model;

import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.MountOptions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The host's rules for mount flags: which flags a request may contain, and which flags are added to
 * every mount. Immutable, with value equality.
 *
 * <p>Flags are compared by name, which is the part before an equals sign, ignoring case. If one
 * text contains several flags, separated by commas, each flag is checked separately, because {@code
 * mount} splits such a text. An added flag forbids its opposite: if {@code nosuid} is added, {@code
 * suid} is refused. A policy with any rule also refuses flags that contain blanks or control
 * characters, or begin with a dash. Valid mount options never look like that, and a mount command
 * could misinterpret them.
 *
 * <p>The manager applies its policy to each requested mount before it calls the plugin; existing
 * mounts are not changed. The flags of a claim are sent with every call for that claim, so the
 * manager cannot add flags later. Apply the policy to the options of the claim before it is made
 * ({@link #applied}).
 *
 * <pre>{@code
 * MountFlagPolicy policy =
 *     MountFlagPolicy.any().withAllowed("noatime", "discard").withAdded("nosuid", "nodev");
 * ManagerSettings settings = ManagerSettings.builder().mountFlags(policy).build();
 * }</pre>
 *
 * @since 1.0
 */
public final class MountFlagPolicy {

  private static final MountFlagPolicy ANY =
      new MountFlagPolicy(Optional.empty(), Set.of(), List.of());

  /** Flags that affect more than the volume, or change existing mounts. */
  private static final List<String> BEYOND =
      List.of(
          "suid",
          "dev",
          "remount",
          "bind",
          "rbind",
          "move",
          "shared",
          "rshared",
          "slave",
          "rslave",
          "private",
          "rprivate",
          "unbindable",
          "runbindable",
          "context",
          "fscontext",
          "defcontext",
          "rootcontext",
          "loop",
          "user",
          "users",
          "owner",
          "group",
          "helper",
          "uhelper");

  private static final MountFlagPolicy FOR_TENANTS =
      ANY.withDenied(BEYOND.toArray(String[]::new)).withAdded("nosuid", "nodev");

  /** Flags that are never secret. The message of a refusal may show them. */
  private static final Set<String> KNOWN =
      Set.of(
          "acl",
          "async",
          "atime",
          "auto",
          "defaults",
          "dev",
          "diratime",
          "dirsync",
          "discard",
          "exec",
          "iversion",
          "lazytime",
          "mand",
          "noacl",
          "noatime",
          "noauto",
          "nodev",
          "nodiratime",
          "nodiscard",
          "noexec",
          "nofail",
          "noiversion",
          "nolazytime",
          "nomand",
          "norelatime",
          "nostrictatime",
          "nosuid",
          "nosymfollow",
          "nouser",
          "relatime",
          "ro",
          "rw",
          "silent",
          "strictatime",
          "suid",
          "symfollow",
          "sync");

  private static final int MOST_SHOWN = 64;

  private final Optional<Set<String>> allowed;
  private final Set<String> denied;
  private final List<String> added;

  private MountFlagPolicy(Optional<Set<String>> allowed, Set<String> denied, List<String> added) {
    this.allowed = allowed;
    this.denied = denied;
    this.added = added;
    for (String flag : added) {
      if (denied.contains(name(flag))) {
        throw new IllegalArgumentException(
            "The flag '" + SafeText.escape(flag, MOST_SHOWN) + "' is both added and denied.");
      }
    }
  }

  /** Returns the policy that permits every flag and adds no flags. */
  public static MountFlagPolicy any() {
    return ANY;
  }

  /**
   * Returns a policy for hosts that accept requests from tenants. The policy adds {@code nosuid}
   * and {@code nodev} to every mount. It refuses flags that affect more than the volume, such as
   * {@code remount}, {@code bind}, {@code context} and the flags for mount propagation. Flags of
   * specific filesystems are permitted, although some of them refer to files of the host. A host
   * that knows which flags its tenants need should allow only those flags.
   */
  public static MountFlagPolicy forTenants() {
    return FOR_TENANTS;
  }

  /**
   * Returns this policy with additional flags that are allowed by name. The returned policy refuses
   * all flags that are neither allowed by name nor added.
   */
  public MountFlagPolicy withAllowed(String... names) {
    return new MountFlagPolicy(
        Optional.of(joined(allowed.orElseGet(Set::of), names)), denied, added);
  }

  /**
   * Returns this policy with additional flags that are refused.
   *
   * @throws IllegalArgumentException if the policy adds one of these flags
   */
  public MountFlagPolicy withDenied(String... names) {
    return new MountFlagPolicy(allowed, joined(denied, names), added);
  }

  /**
   * Returns this policy with additional flags that are added to every mount of a filesystem.
   *
   * @throws IllegalArgumentException if the policy denies one of these flags
   */
  public MountFlagPolicy withAdded(String... flags) {
    List<String> all = new ArrayList<>(added);
    for (String flag : flags) {
      checked(flag);
      all.add(flag);
    }
    return new MountFlagPolicy(allowed, denied, List.copyOf(all));
  }

  /**
   * Returns why the policy refuses these flags, with the name of the first refused flag; empty if
   * all flags are permitted. The text shows no values of flags, and no names that could themselves
   * be secrets.
   */
  public Optional<ReasonText> refusal(MountFlags flags) {
    if (this.equals(ANY)) {
      return Optional.empty();
    }
    int number = 0;
    for (String flag : flags.reveal()) {
      number++;
      for (String part : flag.split(",", -1)) {
        Optional<String> refused = refused(part);
        if (refused.isPresent()) {
          return Optional.of(
              new ReasonText(
                  "flag "
                      + number
                      + " of "
                      + flags.size()
                      + shown(part).map(name -> ", '" + name + "',").orElse("")
                      + " "
                      + refused.get()));
        }
      }
    }
    return Optional.empty();
  }

  /** Returns the flags that this policy adds and the given flags do not contain. */
  public List<String> missing(MountFlags flags) {
    Set<String> names = new LinkedHashSet<>();
    flags.reveal().forEach(flag -> List.of(flag.split(",", -1)).forEach(it -> names.add(name(it))));
    return added.stream().filter(flag -> !names.contains(name(flag))).toList();
  }

  /** Returns these options with the flags that this policy adds. */
  public MountOptions applied(MountOptions options) {
    MountFlags flags = options.flags().orElseGet(() -> MountFlags.of(List.of()));
    List<String> missing = missing(flags);
    if (missing.isEmpty()) {
      return options;
    }
    List<String> all = new ArrayList<>(flags.reveal());
    all.addAll(missing);
    return options.withFlags(MountFlags.of(all));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof MountFlagPolicy that
        && allowed.equals(that.allowed)
        && denied.equals(that.denied)
        && added.equals(that.added);
  }

  @Override
  public int hashCode() {
    return Objects.hash(allowed, denied, added);
  }

  /** Returns the allowed, denied and added flags as text. */
  @Override
  public String toString() {
    return allowed.map(names -> "only " + new TreeSet<>(names)).orElse("any")
        + (denied.isEmpty() ? "" : " but " + new TreeSet<>(denied))
        + (added.isEmpty() ? "" : " with " + added);
  }

  private Optional<String> refused(String part) {
    String name = name(part);
    if (!part.equals(part.strip())
        || part.startsWith("-")
        || name.chars().anyMatch(c -> Character.isWhitespace(c) || Character.isISOControl(c))) {
      return Optional.of("begins with a dash or contains a blank, which no mount option does");
    }
    if (denied.contains(name)) {
      return Optional.of("is on the host's list of flags that are denied");
    }
    Optional<String> opposed =
        added.stream().filter(flag -> opposites(name(flag)).contains(name)).findFirst();
    if (opposed.isPresent()) {
      return Optional.of("is the opposite of '" + opposed.get() + "', which every mount gets");
    }
    boolean mayBeHad =
        part.isEmpty()
            || allowed.isEmpty()
            || allowed.get().contains(name)
            || added.stream().anyMatch(flag -> flag.equals(part));
    return mayBeHad
        ? Optional.empty()
        : Optional.of("is not on the host's list of flags that are allowed");
  }

  /** The name of a flag, if the message of a refusal may show it. */
  private Optional<String> shown(String part) {
    String name = name(part);
    boolean isNoSecret = part.indexOf('=') >= 0 || KNOWN.contains(name) || denied.contains(name);
    return isNoSecret ? Optional.of(SafeText.escape(name, MOST_SHOWN)) : Optional.empty();
  }

  private static String name(String flag) {
    int end = flag.indexOf('=');
    return (end < 0 ? flag : flag.substring(0, end)).toLowerCase(Locale.ROOT);
  }

  private static Set<String> opposites(String name) {
    return switch (name) {
      case "ro" -> Set.of("rw");
      case "rw" -> Set.of("ro");
      case "sync" -> Set.of("async", "nosync");
      case "async" -> Set.of("sync");
      default -> Set.of(name.startsWith("no") ? name.substring(2) : "no" + name);
    };
  }

  private static Set<String> joined(Set<String> before, String... names) {
    Set<String> all = new HashSet<>(before);
    for (String name : names) {
      all.add(checked(name));
    }
    return Set.copyOf(all);
  }

  private static String checked(String flag) {
    if (name(flag).isEmpty() || flag.indexOf(',') >= 0 || !flag.equals(flag.strip())) {
      throw new IllegalArgumentException(
          "'" + SafeText.escape(flag, MOST_SHOWN) + "' is no single mount flag.");
    }
    return name(flag);
  }
}
