//! Reads the command line.
//! Small.

const std = @import("std");
const builtin = @import("builtin");
const streaming = @import("clap/streaming.zig");
pub const args = @import("clap/args.zig");

const mem = std.mem;
pub const default_width: usize = 80;
var calls: u32 = 0;

/// A name of a parameter.
///
/// `short` is a single byte.
pub const Names = struct {
    /// '-'
    short: ?u8 = null,
    long: ?[]const u8 = null,

    const Self = @This();

    /// The longest.
    pub fn longest(names: *const Self) Longest {
        if (names.long) |long|
            return .{ .kind = .long, .name = long };
        return .{ .kind = .positional, .name = "" };
    }

    pub const Longest = struct { kind: Kind, name: []const u8 };

    pub const Kind = enum {
        long,
        short,
        positional,

        pub fn prefix(kind: Kind) []const u8 {
            return switch (kind) {
                .long => "--",
                else => "-",
            };
        }
    };
};

pub const Values = union(enum) {
    none,
    one: []const u8,
};

pub const ParseError = error{ InvalidShort, @"größe" };

/// A parameter with an id.
pub fn Param(comptime Id: type) type {
    return struct {
        id: Id,
        names: Names = .{},

        pub fn format(self: @This(), writer: anytype) !void {
            try writer.print("{s}", .{self.names.longest().name});
        }
    };
}

// Parses all.
pub fn parse(
    comptime Id: type,
    params: []const Param(Id), // all of them
    allocator: mem.Allocator,
) ParseError![]Values {
    calls += 1;
    var iter = streaming.Clap(Id).init(params);
    while (try iter.next()) |arg| _ = arg;
    return allocator.alloc(Values, 1);
}

export fn clap_count() callconv(.C) u32 {
    return calls;
}

extern "c" fn getenv(name: [*:0]const u8) ?[*:0]u8;

inline fn isShort(text: []const u8) bool {
    return mem.startsWith(u8, text, "-");
}

test "names have a longest" {
    const names = Names{ .short = 'a' };
    try std.testing.expectEqual(Names.Kind.positional, names.longest().kind);
}

test isShort {
    try std.testing.expect(isShort("-a"));
}

comptime {
    _ = args;
}

pub fn main() !void {
    _ = try parse(u8, &.{}, std.heap.page_allocator);
}
