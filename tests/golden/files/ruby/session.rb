#!/usr/bin/env ruby
# frozen_string_literal: true

require "digest"
require "web/utils"
require_relative "../cookie"
autoload :Pool, "web/session/pool"

module Web
  # Sessions that live in a cookie.
  #
  # They are signed.
  module Session
    class Expired < StandardError; end

    # Keeps a session.
    class Cookie < Base::Store
      include Enumerable, Web::Helpers
      extend Forwardable

      DEFAULTS = { secure: true }.freeze
      attr_reader :secret, :options
      attr_accessor :ttl

      # Makes one.
      # @param secret [String]
      def initialize(app, secret:, ttl: 3600, **options, &block)
        super(app)
        @secret = secret
        @digest = Digest::SHA256.new
        instance_eval(&block) if block
      end

      def self.call(env) # for Rack
        new(env).call(env)
      end

      class << self
        # Of the whole process.
        def registry
          @registry ||= Pool.new
        end

        private

        def reset! = @registry = nil
      end

      def [](key)
        find { |name, _| name == key }
      end

      def ==(other)
        other.is_a?(Cookie) && secret == other.secret
      end

      def expired?
        Time.now > @deadline
      end

      def größe=(wert)
        @größe = wert
      end

      define_method(:touch) { |at = Time.now| @deadline = at + ttl }
      alias_method :refresh, :touch
      alias to_s inspect
      delegate :size, to: :@pool

      private def sign(value)
        case value
        when String then hmac(value)
        else raise Expired, "no string"
        end
      end

      private

      # Hidden helper.
      def hmac(text) = OpenSSL::HMAC.hexdigest("SHA256", secret, text)
    end

    Entry = Struct.new(:key, :value) do
      # As a line.
      def to_line
        "#{key}=#{value}"
      end
    end
  end
end

class Web::Session::Null
  def method_missing(name, *) = nil
end

task :clean do
  rm_rf "tmp"
end

run Web::Session::Cookie if __FILE__ == $0
