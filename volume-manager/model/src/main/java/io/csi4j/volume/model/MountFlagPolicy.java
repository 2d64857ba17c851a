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
 * The host's rules for mount flags: which a request may have, and which every mount gets.
 * Immutable; compares by value.
 *
 * <p>Flags are compared by name, that is by what stands before an equals sign, without regard to
 * case. Several in one, parted by commas, are looked at one by one, as {@code mount} does. A flag
 * that is added forbids its opposite: with {@code nosuid} added, {@code suid} is refused. A policy
 * with any rule also refuses flags that hold blanks or control characters, or begin with a dash: no
 * mount option does, and commands may take them for something else.
 *
 * <p>The manager applies its policy before the plugin is called, to each mount that is asked for;
 * what is mounted already stays as it is. A claim carries its flags to every call that is made for
 * it, so nothing is added to it later: apply the policy to the options of the claim ({@link
 * #applied}).
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

  /** Flags that reach beyond the volume, or change what others have mounted. */
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

  /** Words that are in no way a secret, so that a refusal may show them. */
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

  /** Returns the policy that lets every flag pass and adds none. */
  public static MountFlagPolicy any() {
    return ANY;
  }

  /**
   * Returns a policy for hosts whose requests come from tenants: every mount gets {@code nosuid}
   * and {@code nodev}, and flags that reach beyond the volume are refused, such as {@code remount},
   * {@code bind}, {@code context} and those for propagation. Flags of single filesystems pass; some
   * of them name files of the host, and a host that knows which flags it needs allows only those.
   */
  public static MountFlagPolicy forTenants() {
    return FOR_TENANTS;
  }

  /**
   * Returns this policy, which refuses every flag but these, those that it allowed by name before,
   * and those that are added.
   */
  public MountFlagPolicy withAllowed(String... names) {
    return new MountFlagPolicy(
        Optional.of(joined(allowed.orElseGet(Set::of), names)), denied, added);
  }

  /**
   * Returns this policy, which refuses these flags, too.
   *
   * @throws IllegalArgumentException if one of them is added
   */
  public MountFlagPolicy withDenied(String... names) {
    return new MountFlagPolicy(allowed, joined(denied, names), added);
  }

  /**
   * Returns this policy, which gives these flags to every mount of a filesystem, too.
   *
   * @throws IllegalArgumentException if one of them is denied
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
   * Returns why these flags may not be had, by the name of the first that may not; nothing if they
   * may. Values are not shown, nor are names that might be secrets themselves.
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

  /** Returns the flags that every mount gets and that are missing in these. */
  public List<String> missing(MountFlags flags) {
    Set<String> names = new LinkedHashSet<>();
    flags.reveal().forEach(flag -> List.of(flag.split(",", -1)).forEach(it -> names.add(name(it))));
    return added.stream().filter(flag -> !names.contains(name(flag))).toList();
  }

  /** Returns these options with the flags that every mount gets. */
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

  /** Says what is allowed, denied and added. */
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
      return Optional.of("holds what no mount option has, a dash at its beginning or a blank");
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

  /** The name of a flag as a refusal may show it. */
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
